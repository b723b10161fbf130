# Two commands set everything up on a fresh machine: `make run` and `make test`.

.PHONY: run test generate bench-packet bench-store bench-http bench-server crash powercut fuzz schemathesis image check-unit

# Builds the tool and shows it at work on an example.
run:
	@bash scripts/run

# Everything that CI runs.
test:
	@bash scripts/test

# Rewrites what is generated from the code: schemas, tables of the specification, manual pages.
generate:
	TASUKI_UPDATE=1 cargo test -q -p tasuki-packet --test it generated
	TASUKI_UPDATE=1 cargo test -q -p tasuki-server --test it generated
	TASUKI_UPDATE=1 cargo test -q -p tasuki --test it generated

# Reading and validating, side by side with what people would use instead. Prints ratios.
bench-packet:
	@bash bench/packet/run

# Handoffs in a store, side by side with the disk's own limit and bare SQLite. Prints ratios.
bench-store:
	@bash bench/store/run

# Handoffs over HTTP, side by side with the engine in process, Redis, PostgreSQL and NATS. Prints ratios.
bench-http:
	@bash bench/http/run

# What a server takes that waits, and how soon streams and webhooks hear of events.
bench-server:
	@bash bench/http/run --figures

# Kills everything that writes to a store, 300 times, and looks for what is gone or half done. ROUNDS changes that.
crash:
	@bash bench/crash/run

# Cuts the power under a store and looks for acknowledged steps that are gone. Needs root. CUTS changes how often (40).
powercut:
	@bash bench/powercut/run

# Ten minutes of fuzzing for each reader. FUZZ_SECONDS changes that.
fuzz:
	@bash scripts/fuzz

# Whether a server keeps what its description says, by three seeds. SEEDS and SECONDS_EACH change that.
schemathesis:
	@SEEDS="$${SEEDS:-1 2 3}" SECONDS_EACH="$${SECONDS_EACH:-120}" bash scripts/check-interface

# The image of a server, with buildah. IMAGE names it.
image:
	@bash scripts/image

# Asks systemd whether the unit of a server is a good one.
check-unit:
	@bash scripts/check-unit
