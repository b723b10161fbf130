"""Checks what no schema knows about deploy/: names that must be the same in two places.

With `--settings`, prints the settings in the Kubernetes manifests instead.
"""

import re
import sys
from pathlib import Path

import yaml

DEPLOY = Path("deploy")
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def main():
    manifests = {
        one["kind"]: one
        for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
        for one in yaml.safe_load_all(path.read_text())
    }
    if "--settings" in sys.argv:
        print(manifests["ConfigMap"]["data"]["tasuki.toml"])
        return
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    wrong = [*kubernetes(manifests), *composition(compose)]
    if wrong:
        sys.exit("\n".join(f"deploy/: {one}" for one in wrong))


def kubernetes(manifests):
    """Yields what does not fit together in the manifests."""
    pod = manifests["Deployment"]["spec"]["template"]
    labels, (container,) = pod["metadata"]["labels"], pod["spec"]["containers"]
    selectors = {
        "Deployment": manifests["Deployment"]["spec"]["selector"]["matchLabels"],
        "Service": manifests["Service"]["spec"]["selector"],
        "PodDisruptionBudget": manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    }
    for kind, selector in selectors.items():
        if not selector.items() <= labels.items():
            yield f"the {kind} does not select the pods: {selector}"
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    targets = [port["targetPort"] for port in manifests["Service"]["spec"]["ports"]]
    targets += [container[probe]["httpGet"]["port"] for probe in PROBES]
    yield from (f"port `{port}` is not one of {ports}" for port in targets if port not in ports)
    if manifests["PodDisruptionBudget"]["spec"]["minAvailable"] >= manifests["Deployment"]["spec"]["replicas"]:
        yield "the PodDisruptionBudget never lets a node be drained"
    paths = [container[probe]["httpGet"]["path"] for probe in PROBES]
    yield from unknown_paths(paths)
    yield from unknown_variables(one["name"] for one in container["env"])
    secrets = {one["valueFrom"]["secretKeyRef"]["name"] for one in container["env"] if "valueFrom" in one}
    readme = (DEPLOY / "kubernetes" / "README.md").read_text()
    yield from (
        f"the README does not create the secret `{name}`"
        for name in secrets if f"create secret generic {name}" not in readme
    )
    user = re.search(r"--uid (\d+)", (DEPLOY / "Containerfile").read_text()).group(1)
    if str(pod["spec"]["securityContext"]["runAsUser"]) != user:
        yield f"the user of the image is {user}"


def composition(compose):
    """Yields what does not fit together in the compose file."""
    services = compose["services"]
    balancer = (DEPLOY / "compose" / "Caddyfile").read_text()
    settings = (DEPLOY / "compose" / "tasuki.toml").read_text()
    servers = [name for name in services if name.startswith("tasuki-")]
    if len(servers) != 3:
        yield f"three servers are expected: {servers}"
    for name in servers:
        if f"{name}:7420" not in balancer or f'"{name}"' not in settings:
            yield f"the Caddyfile or `hosts` in tasuki.toml does not name {name}"
        yield from unknown_variables(services[name]["environment"])
    address = services["balancer"]["networks"]["inside"]["ipv4_address"]
    if f'proxies = ["{address}"]' not in settings:
        yield f"`proxies` in tasuki.toml is not {address}"
    yield from unknown_paths(re.findall(r"health_uri (\S+)", balancer))
    files = [one["file"] for one in compose["configs"].values()]
    yield from (f"{name} is missing" for name in files if not (DEPLOY / name).is_file())


def unknown_variables(names):
    known = Path("docs/reference/environment.md").read_text()
    yield from (f"unknown variable {name}" for name in names if f"`{name}`" not in known)


def unknown_paths(paths):
    routes = Path("crates/tasuki-server/src/router/mod.rs").read_text()
    yield from (f"the server has no {path}" for path in paths if f'"{path}"' not in routes)


main()
