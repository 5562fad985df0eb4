//! All messages, once every file is read → each with its owner, in the order of their first lines.

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::chunks::Chunks;
use super::{Counted, Holder, Message, Messages};

impl Messages {
    pub(super) fn all_counted(mut self) -> Vec<Counted> {
        self.ids = FxHashMap::default();
        self.lines = FxHashMap::default();
        self.gateway = FxHashMap::default();
        let mut all = std::mem::take(&mut self.all);
        first_first(&mut all);
        let parts = |message: &Message| 1 + message.rest.as_ref().map_or(0, |r| r.apart.len());
        let mut counted = Vec::with_capacity(all.iter().map(parts).sum());
        // There may be millions: their room is given back as it becomes free.
        for message in all.into_iter() {
            self.counted(message, &mut counted);
        }
        counted
    }

    /// The message and its parts. Resumed and forked sessions hold copies of earlier messages:
    /// the session that ended first made them. In it the main thread goes before a subagent that
    /// got a copy of its context.
    fn counted(&self, message: Message, into: &mut Vec<Counted>) {
        let tool_calls = message.tool_calls();
        let name = |slot| self.names.get(slot);
        let holder = message.holder;
        let rest = message.rest.map(|rest| *rest);
        let owner = match &rest {
            Some(rest) if !rest.holders.is_empty() => {
                self.owner(rest.holders.iter().copied().chain([holder]))
            }
            _ => holder,
        };
        let agent_type = owner.agent.and_then(|agent| self.types.get(&Some(agent)));
        let whole = Counted {
            id: message.id,
            session: name(owner.session).cloned(),
            project: name(owner.project).cloned(),
            agent: name(owner.agent).cloned(),
            agent_type: agent_type.and_then(|(_, slot)| name(*slot)).cloned(),
            model: name(message.model).cloned(),
            at: message
                .at
                .and_then(|at| Timestamp::from_microsecond(at).ok()),
            message: true,
            partial: !message.finished,
            usage: message.usage,
            tool_calls,
        };
        let at = into.len();
        into.push(whole);
        for (model, usage) in rest.into_iter().flat_map(|rest| rest.apart) {
            let whole = &into[at];
            into.push(Counted {
                model: name(model).or(whole.model.as_ref()).cloned(),
                message: false,
                partial: false,
                usage,
                tool_calls: 0,
                ..whole.clone()
            });
        }
    }

    fn owner(&self, holders: impl Iterator<Item = Holder>) -> Holder {
        let end = |holder: &Holder| holder.session.and_then(|s| self.ends.get(&Some(s)));
        let name = |slot| self.names.get(slot);
        let owner = holders.min_by(|a, b| {
            let order = |h: &Holder| (end(h).is_none(), end(h).copied());
            let names = |h: &Holder| (name(h.session), h.sidechain, name(h.agent), name(h.project));
            order(a)
                .cmp(&order(b))
                .then_with(|| names(a).cmp(&names(b)))
        });
        owner.unwrap_or_default()
    }
}

impl Message {
    fn tool_calls(&self) -> u64 {
        let more = self.rest.as_ref().map_or(0, |rest| rest.tools.len());
        u64::from(self.tool.is_some()) + more as u64
    }
}

/// Puts the message with the first place first. They mostly are in runs of one file each.
fn first_first(all: &mut Chunks<Message>) {
    let mut from: Vec<_> = (0..).zip(all.iter()).map(|(at, m)| (m.first, at)).collect();
    from.sort_by_key(|(first, _)| *first);
    let from: Vec<u32> = from.into_iter().map(|(_, at)| at).collect();
    all.arrange(&from);
}
