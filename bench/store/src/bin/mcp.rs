//! The cost of a tool call over stdio: `handoff_checkpoint` of `tasuki mcp` beside the same checkpoint as a
//! call of the engine in this process, in turns, each on a store of its own.
//!
//! Arguments: the tool, and the number of calls. Prints the medians of both, and of the difference in a turn.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use bench_store::exchange::World;
use bench_store::scratch::Scratch;
use serde_json::{Value, json};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::id::HandoffId;

/// Calls before the first that counts.
const WARM_UP: usize = 20;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let tool = arguments.next().context("the first argument is the tool")?;
    let tool = Path::new(&tool).canonicalize()?;
    let calls: usize = arguments.next().as_deref().unwrap_or("500").parse()?;
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let engine = runtime.block_on(Direct::begin(&scratch.path().join("engine")))?;
    let mut tools = Tools::begin(&tool, scratch.path())?;
    let mut turns = Vec::new();
    for _ in 0..calls + WARM_UP {
        let direct = timed(|| runtime.block_on(engine.checkpoint()))?;
        turns.push((direct, timed(|| tools.checkpoint())?));
    }
    let turns = &turns[WARM_UP..];
    println!("engine      {:>7} us", median(turns.iter().map(|(direct, _)| *direct)));
    println!("over stdio  {:>7} us", median(turns.iter().map(|(_, tool)| *tool)));
    println!("difference  {:>7} us", median(turns.iter().map(|(direct, tool)| tool - direct)));
    Ok(())
}

/// Returns the microseconds of a call.
fn timed(mut call: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<i64> {
    let start = Instant::now();
    call()?;
    Ok(i64::try_from(start.elapsed().as_micros())?)
}

fn median(times: impl Iterator<Item = i64>) -> i64 {
    let mut times: Vec<i64> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The engine in this process, with a claim.
struct Direct {
    world: World,
    handoff: HandoffId,
    fence: u64,
}

impl Direct {
    async fn begin(directory: &Path) -> anyhow::Result<Self> {
        let world = World::open(directory).await?;
        let handoff = world.submit(0).await?;
        let fence = world.claim(0, handoff).await?;
        Ok(Self { world, handoff, fence })
    }

    async fn checkpoint(&self) -> anyhow::Result<()> {
        let shown = ClaimProof { handoff: self.handoff, fence: self.fence };
        self.world.leave_checkpoint(0, shown).await
    }
}

/// A process of `tasuki mcp`, with a claim.
struct Tools {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    fence: Value,
}

impl Tools {
    fn begin(tool: &Path, directory: &Path) -> anyhow::Result<Self> {
        let folder = directory.join("tools");
        std::fs::create_dir(&folder)?;
        let command = |arguments: &[&str]| {
            let mut command = Command::new(tool);
            command.args(arguments).current_dir(&folder).stderr(Stdio::null());
            command
        };
        anyhow::ensure!(command(&["init"]).output()?.status.success(), "tasuki init failed");
        let mut child = command(&["mcp", "--as", "coder"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut tools = Self { child, stdin, stdout, fence: Value::Null };
        let begun = tools.call("handoff_begin", &json!({ "goal": "Measure", "task": "bench" }))?;
        tools.fence = begun["fence"].clone();
        Ok(tools)
    }

    fn checkpoint(&mut self) -> anyhow::Result<()> {
        let arguments = json!({ "handoff": "bench", "fence": self.fence,
            "completed": ["Wrote the component"], "remaining": ["Write its tests"] });
        self.call("handoff_checkpoint", &arguments).map(drop)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {} });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(self.stdin, "{request}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let mut answer: Value = serde_json::from_str(&line).context(line)?;
        anyhow::ensure!(answer["result"]["isError"] == json!(false), "{answer}");
        Ok(answer["result"]["structuredContent"].take())
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
