# Two commands set everything up on a fresh machine: `make run` and `make test`.

.PHONY: run test console check-console check-card screenshots check-mcp generate bench-packet bench-store bench-http bench-server bench-hook bench-git bench-mcp bench-isolation bench-arrival soak crash histories powercut faults fuzz schemathesis check-rebinding image check-unit check-deploy

# Builds the tool and its console, and opens the demo. ARGS="--headless" opens no browser.
run:
	@bash scripts/run $(ARGS)

# Runs everything that CI runs.
test:
	@bash scripts/test

# Builds the console, which the next build of the server embeds. Needs Node 20 or newer.
console:
	@bash scripts/console

# Tests the console in Chromium against a real server.
check-console: console
	@bash scripts/check-console

# Tests the card component: React 18 and 19, four package managers, shadcn, the custom element.
check-card: console
	@bash scripts/check-card

# Writes a picture of every page of the console, light and dark, desktop and phone, to
# console/screenshots/.
screenshots: console
	@bash scripts/check-console --screenshots

# Regenerates files from the code: schemas, tables of the specification, manual pages.
generate:
	TASUKI_UPDATE=1 cargo test -q -p tasuki-packet --test it generated
	TASUKI_UPDATE=1 cargo test -q -p tasuki-server --test it generated
	TASUKI_UPDATE=1 cargo test -q -p tasuki --test it generated
	TASUKI_UPDATE=1 cargo test -q -p tasuki-mcp generated

# Measures reading and validating beside the alternatives. Prints ratios.
bench-packet:
	@bash bench/packet/run

# Measures handoffs in a store beside the limit of the disk and bare SQLite. Prints ratios.
bench-store:
	@bash bench/store/run

# Measures a tool call over stdio beside the same call of the engine.
bench-mcp:
	@bash bench/store/run-mcp

# Measures handoffs over HTTP beside the engine in process, Redis, PostgreSQL and NATS. Prints
# ratios. STORE=postgres measures one and three servers on a database beside a queue on it.
bench-http:
	@bash bench/http/run $(if $(STORE),--store $(STORE))

# Measures an idle server, and the delays of streams and webhooks.
bench-server:
	@bash bench/http/run --figures

# Measures the start hook of an agent on a store with HANDOFFS (100000) handoffs.
bench-hook:
	@bash bench/hook/run

# Measures a snapshot and a restore of a work tree with 50,000 files.
bench-git:
	@bash bench/git/run

# Measures what 24 readers of one project, with LEAVES (400000) leaves, cost another project.
bench-isolation:
	@bash bench/load/run isolation

# Measures the memory of a server while 200 batches of 7.8 MB arrive.
bench-arrival:
	@bash bench/load/run arrival

# Loads a server with everything at once for MINUTES (120); memory, descriptors and p99 are gates.
soak:
	@bash bench/load/run soak

# Kills all writers of a store, ROUNDS times (300), and looks for lost or partial steps.
crash:
	@bash bench/crash/run

# Kills a server KILLS times (100) and checks what its clients saw for two holders at once.
histories:
	TASUKI_HISTORY_KILLS=$${KILLS:-100} cargo test -p tasuki --test it failures::histories -- --nocapture

# Cuts the power under a store, CUTS times (40), and looks for lost acknowledged steps. Needs root.
powercut:
	@bash bench/powercut/run

# Breaks servers, databases, connections and clocks under load. Starts its own PostgreSQL.
faults:
	@bash bench/faults/run

# Fuzzes each reader, and the connections of a server, for FUZZ_SECONDS (600).
fuzz:
	@bash scripts/fuzz

# Checks a server against its OpenAPI document, with SEEDS (1 2 3) for SECONDS_EACH (120).
schemathesis:
	@SEEDS="$${SEEDS:-1 2 3}" SECONDS_EACH="$${SECONDS_EACH:-120}" bash scripts/check-interface

# Checks the MCP tools with the official clients and the conformance suite. Installs them once.
check-mcp:
	@bash scripts/check-mcp

# Checks that a webhook never follows a name that changes its address. Needs root.
check-rebinding:
	@bash scripts/check-rebinding

# Builds the image of a server with buildah. IMAGE sets its name.
image:
	@bash scripts/image

# Checks the systemd unit of a server.
check-unit:
	@bash scripts/check-unit

# Checks the compose file and the Kubernetes manifests, without Docker or a cluster.
check-deploy:
	@bash scripts/check-deploy
