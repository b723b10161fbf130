"""Runs a server, its name server and a canary in one network namespace. See scripts/check-rebinding."""

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

TOOL = os.environ["TASUKI"]
PUBLIC, LOOPBACK = "203.0.114.1", "127.0.0.1"
NAMES = ("fickle.example", "alternating.example", "allowed.example")


class NameServer(threading.Thread):
    """Answers every question of type A with the next address of a list, and the last one forever."""

    def __init__(self):
        super().__init__(daemon=True)
        self.answers, self.lookups = {}, {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 53))

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            self.socket.sendto(self.answer(question), sender)

    def answer(self, question):
        name, end = self.name(question)
        is_address = question[end : end + 2] == b"\x00\x01"
        records = b""
        if is_address and name in self.answers:
            addresses = self.answers[name]
            self.lookups[name] = self.lookups.get(name, 0) + 1
            address = addresses.pop(0) if len(addresses) > 1 else addresses[0]
            # A pointer to the name, type A, class IN, not to be kept, four bytes.
            records = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04" + socket.inet_aton(address)
        counts = struct.pack(">HHHHH", 0x8180, 1, 1 if records else 0, 0, 0)
        return question[:2] + counts + question[12 : end + 4] + records

    @staticmethod
    def name(question):
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode())
            at += 1 + question[at]
        return ".".join(labels).lower(), at + 1


class Canary(threading.Thread):
    """Counts connections to this machine on the port of webhooks."""

    def __init__(self):
        super().__init__(daemon=True)
        self.connections = 0
        self.socket = socket.create_server((LOOPBACK, 443))

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1
            connection.close()


class Receiver(threading.Thread):
    """A webhook receiver at a public address, with a certificate for every name of the check."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.requests = 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certified(folder), os.path.join(folder, "leaf.key"))
        listener = socket.create_server((PUBLIC, 443))
        self.socket = context.wrap_socket(listener, server_side=True)

    def run(self):
        while True:
            with contextlib.suppress(OSError):
                connection, _ = self.socket.accept()
                self.requests += bool(connection.recv(65536))
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                connection.close()


def certified(folder):
    """Creates an authority and a certificate of it. Returns the path of the certificate."""
    def openssl(*arguments):
        command = ["openssl", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca", "-days", "2")
    with open(os.path.join(folder, "names"), "w") as file:
        file.write("subjectAltName=" + ",".join(f"DNS:{name}" for name in NAMES))
    openssl("req", *key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl("x509", "-req", "-in", "leaf.csr", "-out", "leaf.pem", *signing)
    return os.path.join(folder, "leaf.pem")


class Server:
    def __init__(self, folder, settings):
        with open(os.path.join(folder, "tasuki.toml"), "w") as file:
            file.write(settings)
        self.folder = folder
        self.command("init")
        self.command("party", "add", "ana")
        scopes = "submit,receive,read,verify,admin"
        self.token = self.command("token", "create", "--as", "ana", "--scope", scopes).split()[-1]
        command = [TOOL, "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(os.environ, SSL_CERT_FILE=os.path.join(folder, "ca.pem")),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for line in self.process.stdout:
            found = re.search(r"API +http://([^/]+)/v1", line)
            if found:
                self.address = found.group(1)
                break

    def command(self, *arguments):
        environment = dict(os.environ, TASUKI_AS="ana")
        command = [TOOL, *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        ).stdout

    def post(self, path, body):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def close(self):
        self.process.terminate()
        self.process.wait(30)


def tried(server, name):
    """Adds a webhook and sends test messages. Returns the status of adding it, and the outcomes."""
    status, body = server.post("/v1/subscriptions", {"url": f"https://{name}/in"})
    if status != 201:
        return f"{status} {body['detail']}", []
    path = f"/v1/subscriptions/{body['subscription']['id']}/test"
    return status, [server.post(path, {})[1] for _ in range(3)]


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
    with tempfile.NamedTemporaryFile("w") as resolver, tempfile.TemporaryDirectory() as folder:
        resolver.write(f"nameserver {LOOPBACK}\noptions attempts:1 timeout:2\n")
        resolver.flush()
        place = os.path.realpath("/etc/resolv.conf")
        subprocess.run(["mount", "--bind", resolver.name, place], check=True)
        names, canary, receiver = NameServer(), Canary(), Receiver(folder)
        for thread in (names, canary, receiver):
            thread.start()
        server = Server(folder, '[server]\nwebhook_origins = ["https://allowed.example"]\n')
        try:
            check(server, names, canary, receiver)
        finally:
            server.close()


def check(server, names, canary, receiver):
    # The name is public when the webhook is added, and leads to this machine from then on.
    names.answers = {"fickle.example": [PUBLIC, LOOPBACK]}
    status, outcomes = tried(server, "fickle.example")
    assert status == 201, f"the first answer is public, so it is accepted: {status}"
    assert all("not open to webhooks" in one["response"] for one in outcomes), outcomes
    assert names.lookups["fickle.example"] >= 4, "each delivery looks the name up again"
    # Every second answer leads to this machine. A public one is used as it is: a second lookup
    # between the check and the connection would lead to the canary.
    names.answers = {"alternating.example": [PUBLIC, LOOPBACK] * 50}
    received = receiver.requests
    status, outcomes = tried(server, "alternating.example")
    assert status == 201, status
    assert receiver.requests > received, "a public answer is connected to"
    assert any("not open to webhooks" in one["response"] for one in outcomes), outcomes
    time.sleep(1)
    assert canary.connections == 0, f"{canary.connections} connections reached this machine"
    # The control: where the operator allows it, the same path does connect.
    names.answers = {"allowed.example": [LOOPBACK]}
    tried(server, "allowed.example")
    assert canary.connections > 0, "the canary cannot be reached, so the check proves nothing"
    lookups = sum(names.lookups.values())
    print(
        f"DNS rebinding: {lookups} lookups, {receiver.requests} requests to the public address, "
        "0 connections to this machine; the control connected."
    )


if __name__ == "__main__":
    main()
