//! The lines of a session, one kind after another.

use super::Maker;
use super::shapes::{Line, Session, Usage};

impl Maker {
    pub(super) fn user(&mut self, session: &mut Session) {
        let length = self.rng.usize(10..2000);
        let (text, at) = (self.text(length), self.now());
        let (head, tail) = (session.head(), session.tail(&at));
        session.put(format!(
            r#"{{{head},"type":"user","message":{{"role":"user","content":"{text}"}},{tail}}}"#
        ));
    }

    /// A message of one or more lines, one for each block of its content. The last line counts.
    pub(super) fn message(&mut self, session: &mut Session, call: Option<(String, Usage)>) {
        let (id, usage) = call.unwrap_or_else(|| self.call());
        let blocks = self.rng.usize(1..4);
        let placeholder = blocks > 1 && self.chance(35);
        let request = self.name("req_");
        let mut first = None;
        let mut at = self.now();
        for block in 0..blocks {
            let last = block + 1 == blocks;
            if self.chance(70) {
                at = self.now();
            }
            let day = first.get_or_insert_with(|| at[..10].to_owned()).clone();
            let output = if last || !placeholder {
                usage.counts[1]
            } else {
                usage.counts[1].min(2)
            };
            let content = self.block(last);
            let json = usage.json(output, session.style, last);
            let request = if session.requests {
                format!(r#""requestId":"{request}","#)
            } else {
                String::new()
            };
            let (head, tail, model) = (session.head(), session.tail(&at), session.model);
            let stop = if last { "\"end_turn\"" } else { "null" };
            let mut line = format!(
                r#"{{{head},"message":{{"model":"{model}","id":"{id}","type":"message","role":"assistant","content":[{content}],"stop_reason":{stop},"stop_sequence":null,"usage":{json}}},{request}"type":"assistant",{tail}}}"#
            )
            .into_bytes();
            self.spoil(&mut line);
            if self.chance(1) {
                line = [
                    br#"{"parentUuid":"u","message":{"content":[{"text":"torn "#.as_slice(),
                    &line,
                ]
                .concat();
                self.truth.glued += 1;
            }
            session.lines.push(Line { bytes: line });
            if last {
                self.count(session, &usage, &day);
            }
        }
        if self.chance(70) {
            self.result(session);
        }
    }

    /// Bytes that are no UTF-8 stand in a text, where they do no harm.
    fn spoil(&mut self, line: &mut Vec<u8>) {
        let text = br#""text":""#;
        if self.chance(1)
            && let Some(at) = line.windows(text.len()).position(|here| here == text)
        {
            line.splice(at + text.len()..at + text.len(), [0xff, 0xfe, 0x80]);
        }
    }

    fn call(&mut self) -> (String, Usage) {
        let write = self.rng.u64(0..9000);
        let hour = self.rng.u64(0..=write);
        let search = u64::from(self.chance(2));
        let usage = Usage {
            counts: [
                self.rng.u64(1..900),
                self.rng.u64(5..4000),
                write,
                hour,
                self.rng.u64(0..190_000),
                search,
            ],
            advice: self.chance(2).then(|| self.rng.u64(1..500)),
        };
        (self.name("msg_01"), usage)
    }

    fn block(&mut self, last: bool) -> String {
        let length = self.rng.usize(20..2000);
        let (text, id) = (self.text(length), self.name("toolu_"));
        match (last, self.rng.u8(..10)) {
            (true, 0) => format!(
                r#"{{"type":"tool_use","id":"{id}","name":"q","input":{{"id":null,"model":null,"usage":{{"output_tokens":5}}}}}}"#
            ),
            (true, 1..6) => format!(
                r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{text}"}}}}"#
            ),
            (false, 0..5) => {
                format!(r#"{{"type":"thinking","thinking":"{text}","signature":"abc"}}"#)
            }
            _ => format!(r#"{{"type":"text","text":"{text}"}}"#),
        }
    }

    fn result(&mut self, session: &mut Session) {
        let mut length = self.rng.usize(20..6000);
        if self.chance(8) {
            length *= 16;
        }
        let (text, at) = (self.text(length), self.now());
        let (head, tail) = (session.head(), session.tail(&at));
        let result = if self.chance(3) {
            r#"{"totalTokens":5,"usage":{"input_tokens":111,"output_tokens":444}}"#.to_owned()
        } else {
            format!(r#"{{"stdout":"{text}","stderr":""}}"#)
        };
        let mut line = format!(
            r#"{{{head},"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","text":"{text}"}}]}},"toolUseResult":{result},{tail}}}"#
        )
        .into_bytes();
        self.spoil(&mut line);
        session.lines.push(Line { bytes: line });
    }

    /// Lines that count for nothing.
    pub(super) fn noise(&mut self, session: &mut Session, pending: &mut Vec<(String, Usage)>) {
        let (at, text) = (self.now(), self.text(60));
        let (head, tail) = (session.head(), session.tail(&at));
        match self.rng.u8(..8) {
            0 => session.put(format!(r#"{{"type":"file-history-snapshot","snapshot":{{"timestamp":"{at}","{}":"{text}"}}}}"#, "f")),
            1 => session.put(String::new()),
            2 => session.put(format!(
                r#"{{{head},"type":"assistant","message":{{"id":"x","model":"<synthetic>","usage":{{"input_tokens":0,"output_tokens":0}}}},{tail}}}"#
            )),
            3 => {
                session.put(format!(r#"{{{head},"message":{{"id":"msg_torn","content":[{{"text":"{text}"#));
                self.truth.broken += 1;
            }
            4 if session.agent.is_none() => {
                let (id, usage) = self.call();
                let json = usage.json(1, session.style, false);
                session.put(format!(
                    r#"{{{head},"type":"progress","data":{{"type":"agent_progress","message":{{"type":"assistant","message":{{"id":"{id}","model":"{}","usage":{json}}},"requestId":"r","timestamp":"{at}"}}}},{tail}}}"#,
                    session.model
                ));
                pending.push((id, usage));
            }
            5 => session.put(format!(r#"{{{head},"type":"system","subtype":"compact_boundary","content":"{text}",{tail}}}"#)),
            _ => session.put(format!(r#"{{"type":"queue-operation","timestamp":"{at}","sessionId":"{}","content":"{text}"}}"#, session.id)),
        }
    }
}
