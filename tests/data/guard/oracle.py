#!/usr/bin/env python3
"""oracle.py MODEL SEED STORIES: random stories of hook events, with the answers of the retry guard's
executable model (a Python file with a class Guard). Prints them in the form of scenarios.jsonl: a
line that opens a story, then one line an event: seconds, what the hook gets, what it must answer."""
import importlib.util
import json
import random
import sys

COMMANDS = [
    "make", "make  x", "make x # again", "make x 2>&1", "cd /p && make", "cd '/q' && make x;", "npm test | tail -20",
    "git status", "git checkout -- a", "ls -l && git diff", "cat a > b", "sleep 5 && curl -fsS localhost:1/health",
    "gh run watch 7", "kubectl get pods", "test -f x", "echo 'a  #  b'", "echo  'a  #  b'  # c", "cat <<'E'\n a  b\nE",
    "make \\\n x", "a && b || c", "until true; do false; done", "rtk make", "",
    "desk a click '{\"element_token\":\"s0000002a:14\"}'", "desk a click '{\"element_token\":\"s0000002b:14\"}'",
    "desk  a click '{\"element_token\": \"s0000002c:14\"}'", "\"$DESK/desk\" a click '{\"element_token\":\"s0000002d:14\"}'",
    "lean-computer-use desk-run a 'click x'", "lean-computer-use  desk-run a 'click x' && lean-computer-use desk-read a",
    "'/opt/a b/desk-read' a Total", "lean-computer-use desk-running a", "desk-run a <<'E'\nclick  x\nE", "desk-clean && ls",
]
ERRORS = [
    "Exit code 1", "Exit code 2\nboom", "Exit code 2\nboom at 12:00:0%d", "Exit code 2\nline 4%d", "Exit code 1\n\n  \n",
    "Exit code 101\n3 passed; 2 failed; finished in 0.4%ds", "Exit code 7\nConnection refused", "Exit code 130\nx",
    "Exit code 143\nCommand timed out after 1s", "Permission to use Bash has been denied", "String not found in file.",
    "Exit code 1\ndesk-run: step 1: not_found\n  nearest: \"Save %d\"", "Exit code 1\nnoise %d\ndesk: refused busy",
    "Exit code 2\ndesk: cannot start cua-driver: daemon not running within 10 s", "Exit code 3\n/tmp/x%d: pid 4%d no",
    "Exit code 1\n\u001b[31mred\u001b[0m\r\nattempt 1%d/3  \r\n", "HTTP 503", "Exit code 1\n{\"pid\":%d,\"error\":\"stale\"}",
]
STEPS = [0, 0, 1, 1, 1, 2, 4, 5, 8, 21, 61, 121, 601, 901, -50]


def call(rng, focus):
    if rng.random() < 0.05:
        tool = rng.choice(["Edit", "Write", "WebFetch", "mcp__a__b"])
        return {"tool_name": tool, "tool_input": {"file_path": rng.choice(["/p/a", "/p/b"]), "n": rng.randrange(2)}}
    command = rng.choice(focus if rng.random() < 0.93 else COMMANDS)
    given = {"command": command, "description": str(rng.randrange(9))}
    if rng.random() < 0.05:
        given["run_in_background"] = True
    return {"tool_name": rng.choice(["Bash"] * 9 + ["PowerShell"]), "tool_input": given}


def agent(rng):
    return rng.choice([{}] * 6 + [{"agent_id": "a1", "agent_type": "desk-runner"}, {"agent_id": "a2", "agent_type": "x"}])


def events(rng):
    focus = rng.sample(COMMANDS, 2)
    errors = rng.sample(ERRORS, rng.choice([1, 1, 2]))
    ids = iter(range(10_000))
    last = None
    while True:
        sort = rng.random()
        if sort < 0.01:
            yield {"hook_event_name": "UserPromptSubmit", **rng.choice([{"prompt": "go on"}, {"prompt": "go", "source": "sdk"},
                   {"prompt": "<task-notification>\nx"}, {"prompt": "x", "source": "loop_wakeup"}])}
        elif sort < 0.03 and last:
            yield last  # a hook that is registered twice
        else:
            common = {**agent(rng), "cwd": rng.choice(["/p"] * 6 + ["/p/", "/q"]), **call(rng, focus)}
            if rng.random() < 0.9:
                common["tool_use_id"] = "t%d" % next(ids)
            if rng.random() < 0.7:
                yield {"hook_event_name": "PreToolUse", **common}
            if rng.random() < 0.05 and "command" in common["tool_input"]:  # another hook rewrites it
                common["tool_input"] = {"command": "rtk " + common["tool_input"]["command"]}
            if rng.random() < 0.93:
                error = rng.choice(errors)
                error = error.replace("%d", str(rng.randrange(3)))
                last = {"hook_event_name": "PostToolUseFailure", "error": error, **common}
                if rng.random() < 0.05:
                    last["is_interrupt"] = True
            else:
                last = {"hook_event_name": "PostToolUse", **common}
            yield last
            if "tool_use_id" not in common:
                last = None


def answer(guard, t, event):
    said = {"t": t, "id": event.get("tool_use_id"), "agent": event.get("agent_id", ""),
            "agent_type": event.get("agent_type"), "cwd": event.get("cwd", "")}
    for name, field in (("tool", "tool_name"), ("input", "tool_input"), *((x, x) for x in ("error", "is_interrupt", "prompt", "source"))):
        if field in event:
            said[name] = event[field]
    if event["hook_event_name"] == "PreToolUse":
        return {"deny": "deny"}.get(guard.decide(said)[0], "")
    said["ev"] = {"PostToolUse": "ok", "PostToolUseFailure": "fail", "UserPromptSubmit": "prompt"}[event["hook_event_name"]]
    return guard.observe(said) or ""


def main(model, seed, stories):
    spec = importlib.util.spec_from_file_location("model", model)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for story in range(int(stories)):
        rng = random.Random("%s %d" % (seed, story))
        print(json.dumps({"story": "random %s %d" % (seed, story)}))
        guard, t = module.Guard(), 10_000
        for event, _ in zip(events(rng), range(rng.choice([10, 25, 50]))):
            t += rng.choice(STEPS if rng.random() < 0.12 else [1])
            print(json.dumps({"t": t, "event": {"session_id": "s", **event}, "answer": answer(guard, t, event)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
