//! An agent host: it starts `tasuki mcp` and talks JSON-RPC to it over stdin and stdout.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// The revision of the protocol without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// The last revision with a handshake.
const LEGACY: &str = "2025-11-25";

/// A running server, and its host.
pub(crate) struct McpHost {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
    is_modern: bool,
    capabilities: Value,
}

impl McpHost {
    /// Starts a server, and shakes hands with it.
    pub(crate) fn legacy(command: Command) -> Self {
        Self::legacy_with(command, json!({}))
    }

    /// Starts a server, shakes hands with it, and declares these capabilities.
    pub(crate) fn legacy_with(command: Command, capabilities: Value) -> Self {
        let mut host = Self::start(command, false);
        host.capabilities = capabilities;
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": LEGACY, "capabilities": host.capabilities,
            "clientInfo": client });
        let answer = host.request("initialize", params);
        assert_eq!(answer["protocolVersion"], LEGACY, "{answer}");
        host.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        host
    }

    /// Starts a server for requests that need no handshake.
    pub(crate) fn modern(command: Command) -> Self {
        Self::start(command, true)
    }

    /// Starts a server for requests that declare these capabilities.
    pub(crate) fn modern_with(command: Command, capabilities: Value) -> Self {
        let mut host = Self::start(command, true);
        host.capabilities = capabilities;
        host
    }

    fn start(mut command: Command, is_modern: bool) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, last_id: 0, is_modern, capabilities: json!({}) }
    }

    fn write(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Sends a request, and returns the result or the error.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.read_until(|message| message["id"] == json!(id));
        answer.get("result").or_else(|| answer.get("error")).cloned().unwrap()
    }

    /// Sends a request, and returns its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last_id += 1;
        if self.is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Reads messages until one is wanted.
    pub(crate) fn read_until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server has left");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Calls a tool that succeeds, and returns its structured content.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.tool_result(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that is refused, and returns the text.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.tool_result(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    fn tool_result(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        self.request("tools/call", params)
    }

    /// Kills the host, while another process keeps stdin open.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes stdin, as a host does that ends, and returns how the server ended.
    pub(crate) fn leave(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

impl Drop for McpHost {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
