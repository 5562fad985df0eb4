
use builtin;
use str;

set edit:completion:arg-completer[lean-computer-use] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'lean-computer-use'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'lean-computer-use'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand install 'Install the desk tools, the runner agent and the hooks into a project''s .claude'
            cand uninstall 'Give back exactly what was there before'
            cand verify 'Compare what is installed with what was shipped'
            cand status 'Say what is installed where'
            cand diff 'Show what install would change'
            cand doctor 'Check that everything works here, and say what mends it'
            cand meter 'Count tokens over Claude Code transcripts'
            cand desk 'Call one driver tool on one app'
            cand desk-run 'Run a packet of steps on one app'
            cand desk-read 'Read an app''s window, filtered and redacted'
            cand desk-running 'Tell whether an app runs'
            cand desk-clean 'Remove what a desk run left behind'
            cand try 'Try the whole loop in a scratch project, step by step'
            cand exit-codes 'Print the exit codes of every command'
            cand completions 'Print what a shell needs to complete words, or write it to its file'
            cand man 'Print a man page, or write all of them'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'lean-computer-use;install'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --user 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
            cand --local 'The project, with the hooks in settings.local.json, which is not committed'
            cand --allow 'Also allow the desk commands in permissions.allow, so that no call asks'
            cand --dry-run 'Say what would be done, and write nothing'
            cand --diff 'Print what would be changed as a unified diff, and write nothing'
            cand --force 'Replace files of somebody else (kept in a backup, which uninstall gives back), edited ones too, and put back what you removed'
            cand --no-hooks 'Register no hooks: files only'
            cand --follow-links 'Follow links that lead out of the project'
            cand --as-root 'Install as root into a folder of another user, who will own the files'
            cand -y 'Ask nothing'
            cand --yes 'Ask nothing'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;uninstall'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --user 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
            cand --local 'The project, with the hooks in settings.local.json, which is not committed'
            cand --dry-run 'Say what would be done, and write nothing'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;verify'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --user 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
            cand --local 'The project, with the hooks in settings.local.json, which is not committed'
            cand --proof 'See every exit code again, through the installed launchers and the recorded binary'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;status'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;diff'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --user 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
            cand --local 'The project, with the hooks in settings.local.json, which is not committed'
            cand --allow 'As install --allow'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;doctor'= {
            cand --project 'The project folder [default: the nearest one upwards with .claude or .git]'
            cand --user 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
            cand --local 'The project, with the hooks in settings.local.json, which is not committed'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;meter'= {
            cand --by 'What each row stands for'
            cand --since 'From this time on: 2026-08-04, 2026-08-04T12:30, 7d, 12h'
            cand --until 'Up to this time; a day is included'
            cand --timezone 'Time zone of days and times, as Europe/Berlin [default: that of this machine]'
            cand --session 'Only this session: its id, or the beginning of it'
            cand --agent 'Only subagents of this type; main for the main thread'
            cand --model 'Only these models, * and ? stand for anything'
            cand --prices 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table'
            cand --limit 'Show this many rows: the newest days, weeks or months, else the most expensive'
            cand --html 'Write a page with charts to this file: one HTML file that needs nothing else'
            cand --no-ledger 'Read every transcript anew, and keep nothing of it'
            cand --no-cost 'Show no costs'
            cand --json 'Print one JSON document'
            cand --csv 'Print comma-separated values'
            cand --watch 'Show the table anew every two seconds until interrupted'
            cand -h 'Print help'
            cand --help 'Print help'
            cand compare 'Two sessions, files or folders side by side, with ratios'
        }
        &'lean-computer-use;meter;compare'= {
            cand --prices 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table'
            cand --no-cost 'Show no costs'
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;desk'= {
            cand --approve 'Press a control with this label though it sounds risky (send, delete, close, …)'
            cand --state 'Keep the state of this run here'
            cand --limit 'End a driver call after this many milliseconds'
            cand --allow-app 'Operate a terminal or the system settings'
            cand --foreground 'Bring the window to the front where keys cannot reach it otherwise'
            cand --json 'Print one JSON object'
            cand --simulated 'Act on the built-in simulated calculator instead of the real desktop'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;desk-run'= {
            cand --evidence 'Copy the full read to the project''s evidence folder under this name'
            cand --approve 'Press a control with this label though it sounds risky (send, delete, close, …)'
            cand --state 'Keep the state of this run here'
            cand --limit 'End a driver call after this many milliseconds'
            cand --one-by-one 'Never send several actions in one driver call'
            cand --allow-app 'Operate a terminal or the system settings'
            cand --foreground 'Bring the window to the front where keys cannot reach it otherwise'
            cand --json 'Print one JSON object'
            cand --simulated 'Act on the built-in simulated calculator instead of the real desktop'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;desk-read'= {
            cand --max 'Show at most this many lines'
            cand --role 'Show controls of this role only'
            cand --evidence 'Copy the full read to the project''s evidence folder under this name'
            cand --state 'Keep the state of this run here'
            cand --limit 'End a driver call after this many milliseconds'
            cand --full 'Show every line, up to --max, not only texts'
            cand --changes 'Show what is other than in the last read: + came, ~ changed, - went'
            cand --json 'Print one JSON object'
            cand --simulated 'Act on the built-in simulated calculator instead of the real desktop'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;desk-running'= {
            cand --app-name 'Another name that the app can be listed under'
            cand --state 'Keep the state of this run here'
            cand --limit 'End a driver call after this many milliseconds'
            cand --json 'Print one JSON object'
            cand --simulated 'Act on the built-in simulated calculator instead of the real desktop'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;desk-clean'= {
            cand --app-name 'The app''s display name, which quitting it on macOS goes by'
            cand --state 'Keep the state of this run here'
            cand --limit 'End a driver call after this many milliseconds'
            cand --launched-by-run 'Also quit the app, gently, if this run launched it, by whatever name; until then it exits 3'
            cand --json 'Print one JSON object'
            cand --simulated 'Act on the built-in simulated calculator instead of the real desktop'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;try'= {
            cand --keep 'Keep the scratch project in this new or empty folder'
            cand --real 'Use the real cua-driver on a real calculator instead of the simulated one'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;exit-codes'= {
            cand --json 'Print one JSON document'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;completions'= {
            cand --out 'Write the file below DIR, under the name that the shell looks for'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;man'= {
            cand --out 'Write every page below DIR instead, such as ~/.local/share/man/man1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'lean-computer-use;help'= {
            cand install 'Install the desk tools, the runner agent and the hooks into a project''s .claude'
            cand uninstall 'Give back exactly what was there before'
            cand verify 'Compare what is installed with what was shipped'
            cand status 'Say what is installed where'
            cand diff 'Show what install would change'
            cand doctor 'Check that everything works here, and say what mends it'
            cand meter 'Count tokens over Claude Code transcripts'
            cand desk 'Call one driver tool on one app'
            cand desk-run 'Run a packet of steps on one app'
            cand desk-read 'Read an app''s window, filtered and redacted'
            cand desk-running 'Tell whether an app runs'
            cand desk-clean 'Remove what a desk run left behind'
            cand try 'Try the whole loop in a scratch project, step by step'
            cand exit-codes 'Print the exit codes of every command'
            cand completions 'Print what a shell needs to complete words, or write it to its file'
            cand man 'Print a man page, or write all of them'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'lean-computer-use;help;install'= {
        }
        &'lean-computer-use;help;uninstall'= {
        }
        &'lean-computer-use;help;verify'= {
        }
        &'lean-computer-use;help;status'= {
        }
        &'lean-computer-use;help;diff'= {
        }
        &'lean-computer-use;help;doctor'= {
        }
        &'lean-computer-use;help;meter'= {
            cand compare 'Two sessions, files or folders side by side, with ratios'
        }
        &'lean-computer-use;help;meter;compare'= {
        }
        &'lean-computer-use;help;desk'= {
        }
        &'lean-computer-use;help;desk-run'= {
        }
        &'lean-computer-use;help;desk-read'= {
        }
        &'lean-computer-use;help;desk-running'= {
        }
        &'lean-computer-use;help;desk-clean'= {
        }
        &'lean-computer-use;help;try'= {
        }
        &'lean-computer-use;help;exit-codes'= {
        }
        &'lean-computer-use;help;completions'= {
        }
        &'lean-computer-use;help;man'= {
        }
        &'lean-computer-use;help;help'= {
        }
    ]
    $completions[$command]
}
