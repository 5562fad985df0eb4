//! All messages, once every file is read → each with its owner.

use std::mem::take;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::chunks::Chunks;
use super::ids::Ids;
use super::{Counted, Holder, Message, Messages, NEVER, Owner};

impl Messages {
    pub(super) fn all_counted(mut self) -> Chunks<Counted> {
        self.ids = Ids::default();
        self.lines = FxHashMap::default();
        self.gateway = FxHashMap::default();
        // Neighbours mostly share it.
        let (mut last, mut owner) = (Holder::default(), Rc::new(Owner::default()));
        let mut parts = Vec::new();
        let mut counted = take(&mut self.all).map(|message| {
            let holder = self.holder(&message);
            if holder != last {
                (last, owner) = (holder, Rc::new(self.owner(holder)));
            }
            self.counted(message, &owner, &mut parts)
        });
        counted.extend(parts);
        counted
    }

    /// The message; adds its parts.
    fn counted(&self, message: Message, owner: &Rc<Owner>, parts: &mut Vec<Counted>) -> Counted {
        let tool_calls = message.tool_calls();
        let whole = Counted {
            id: message.id,
            owner: owner.clone(),
            model: self.names.get(message.model).cloned(),
            at: Some(message.at).filter(|at| *at != NEVER),
            message: true,
            partial: !message.finished,
            usage: message.usage,
            tool_calls,
        };
        let apart = message.rest.into_iter().flat_map(|rest| rest.apart);
        parts.extend(apart.map(|(model, usage)| Counted {
            model: self.names.get(model).or(whole.model.as_ref()).cloned(),
            message: false,
            partial: false,
            usage,
            tool_calls: 0,
            ..whole.clone()
        }));
        whole
    }

    /// Resumed and forked sessions hold copies of earlier messages: the session that ended first
    /// made them. In it the main thread goes before a subagent that got a copy of its context.
    fn holder(&self, message: &Message) -> Holder {
        let first = message.holder();
        let more = message.rest.iter().flat_map(|rest| &rest.holders);
        let end = |holder: &Holder| holder.session.and_then(|s| self.ends.get(&Some(s)));
        let name = |slot| self.names.get(slot);
        let owner = more.copied().chain([first]).min_by(|a, b| {
            let order = |h: &Holder| (end(h).is_none(), end(h).copied());
            let names = |h: &Holder| (name(h.session), h.sidechain, name(h.agent), name(h.project));
            order(a)
                .cmp(&order(b))
                .then_with(|| names(a).cmp(&names(b)))
        });
        owner.unwrap_or(first)
    }

    fn owner(&self, holder: Holder) -> Owner {
        let name = |slot| self.names.get(slot).cloned();
        let agent_type = holder.agent.and_then(|agent| self.types.get(&Some(agent)));
        Owner {
            session: name(holder.session),
            project: name(holder.project),
            agent: name(holder.agent),
            agent_type: agent_type.and_then(|(_, slot)| name(*slot)),
        }
    }
}

impl Message {
    fn tool_calls(&self) -> u32 {
        let more = self.rest.as_ref().map_or(0, |rest| rest.tools.len());
        u32::from(self.tool.is_some()) + u32::try_from(more).unwrap_or(u32::MAX - 1)
    }
}
