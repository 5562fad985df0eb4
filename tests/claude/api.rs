//! The stand-in for the Messages API: a thread on 127.0.0.1 that answers from a [`Scenario`] and
//! keeps every request. Goes in: a scenario. Comes out: a base URL, the requests, and what was
//! charged for each model. Stops when dropped. It judges nothing: that is the tests' work.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Response, Server};

use super::scenario::{self, MAIN, Scenario, Step};
use super::sse::{self, Usage};

/// The running stand-in.
pub struct Api {
    server: Arc<Server>,
    asked: Arc<Mutex<Vec<Asked>>>,
    thread: Option<JoinHandle<()>>,
}

/// One request as it came, without its headers: they hold a key.
#[derive(Clone)]
pub struct Asked {
    pub path: String,
    /// The script that answered; [`SIDE`] for a request without tools.
    pub script: String,
    /// How often the model had spoken before in this conversation.
    pub step: usize,
    pub body: Value,
    /// What the answer said it cost; nothing when no message was answered.
    pub charged: Option<Usage>,
}

/// The script name of requests that offer no tools: titles, summaries. They get a short text.
pub const SIDE: &str = "side";

impl Api {
    pub fn start(scenario: Scenario) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let thread = std::thread::spawn({
            let (server, asked) = (Arc::clone(&server), Arc::clone(&asked));
            move || serve(&server, &scenario, &asked)
        });
        Self {
            server,
            asked,
            thread: Some(thread),
        }
    }

    /// For `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// The requests that a script answered, in the order they came.
    pub fn asked(&self, script: &str) -> Vec<Asked> {
        let all = self.asked.lock().unwrap();
        all.iter().filter(|a| a.script == script).cloned().collect()
    }

    /// All that was asked, for whole-session checks.
    pub fn all(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What was charged, by the model that was asked for.
    pub fn charged(&self) -> BTreeMap<String, Usage> {
        let mut charged = BTreeMap::<_, Usage>::new();
        for asked in self.all() {
            if let Some(usage) = asked.charged {
                *charged.entry(asked.model().to_owned()).or_default() += usage;
            }
        }
        charged
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Asked {
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The names of the tools that the model was offered.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools.filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// The texts since the model last spoke, tool results aside: what a user or Claude Code itself adds.
    pub fn news(&self) -> String {
        let texts: Vec<_> = self.latest().map(|m| text_of(&m["content"])).collect();
        texts.join("\n")
    }

    /// The results of the last turn's tool calls: whether each is an error, and its text.
    pub fn results(&self) -> Vec<(bool, String)> {
        self.latest()
            .flat_map(|message| message["content"].as_array().into_iter().flatten())
            .filter(|block| block["type"] == "tool_result")
            .map(|block| (block["is_error"] == true, text_of(&block["content"])))
            .collect()
    }

    /// The messages since the model last spoke.
    fn latest(&self) -> impl Iterator<Item = &Value> {
        let messages = self.body["messages"].as_array().unwrap();
        let from = messages.iter().rposition(|m| m["role"] == "assistant");
        messages[from.map_or(0, |at| at + 1)..].iter()
    }
}

fn serve(server: &Server, scenario: &Scenario, asked: &Mutex<Vec<Asked>>) {
    let mut n = 0;
    while let Ok(mut request) = server.recv() {
        n += 1;
        let mut raw = Vec::new();
        let _ = request.as_reader().read_to_end(&mut raw);
        let mut one = Asked {
            path: request.url().split('?').next().unwrap().to_owned(),
            script: String::new(),
            step: 0,
            body: serde_json::from_slice(&raw).unwrap_or_default(),
            charged: None,
        };
        let reply = match (request.method(), one.path.as_str()) {
            (Method::Post, "/v1/messages") => message(n, scenario, &mut one),
            (Method::Post, "/v1/messages/count_tokens") => {
                reply(200, &json!({"input_tokens": raw.len() / 4}).to_string())
            }
            _ => nothing_there(),
        };
        // Kept before the answer leaves, so that a session that has ended finds all of its requests.
        asked.lock().unwrap().push(one);
        let _ = request.respond(reply);
    }
}

type Reply = Response<std::io::Cursor<Vec<u8>>>;

fn message(n: u64, scenario: &Scenario, asked: &mut Asked) -> Reply {
    (asked.script, asked.step) = place(&asked.body);
    let Step(blocks) = if asked.script == SIDE {
        scenario::say("a title")
    } else {
        scenario.answer(&asked.script, asked.step)
    };
    let usage = Usage::of_request(n);
    asked.charged = Some(usage);
    let message = sse::message(n, asked.model(), &blocks, usage);
    if asked.body["stream"] == true {
        let body = sse::stream(&message, usage);
        return reply(200, &body).with_header(header("content-type", "text/event-stream"));
    }
    reply(200, &message.to_string())
}

/// Which script a conversation plays and how far it has come: the cue in its first message, and the
/// number of answers it already holds. No state, so a repeated request gets the same answer.
fn place(body: &Value) -> (String, usize) {
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return (SIDE.to_owned(), 0);
    }
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let first = messages.first().map(|message| text_of(&message["content"]));
    let script = first.as_deref().and_then(scenario::cued).unwrap_or(MAIN);
    let spoken = messages.iter().filter(|m| m["role"] == "assistant").count();
    (script.to_owned(), spoken)
}

/// The text of a content, which is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

fn nothing_there() -> Reply {
    let error = json!({"type": "not_found_error", "message": "the stand-in has no such path"});
    reply(404, &json!({"type": "error", "error": error}).to_string())
}

fn reply(status: u16, body: &str) -> Reply {
    Response::from_data(body.as_bytes().to_vec())
        .with_status_code(status)
        .with_header(header("content-type", "application/json"))
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).unwrap()
}
