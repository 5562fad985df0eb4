
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'lean-computer-use' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'lean-computer-use'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'lean-computer-use' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install the desk tools, the runner agent and the hooks into a project''s .claude')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Give back exactly what was there before')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare what is installed with what was shipped')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say what is installed where')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what install would change')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check that everything works here, and say what mends it')
            [CompletionResult]::new('meter', 'meter', [CompletionResultType]::ParameterValue, 'Count tokens over Claude Code transcripts')
            [CompletionResult]::new('desk', 'desk', [CompletionResultType]::ParameterValue, 'Call one driver tool on one app')
            [CompletionResult]::new('desk-run', 'desk-run', [CompletionResultType]::ParameterValue, 'Run a packet of steps on one app')
            [CompletionResult]::new('desk-read', 'desk-read', [CompletionResultType]::ParameterValue, 'Read an app''s window, filtered and redacted')
            [CompletionResult]::new('desk-running', 'desk-running', [CompletionResultType]::ParameterValue, 'Tell whether an app runs')
            [CompletionResult]::new('desk-clean', 'desk-clean', [CompletionResultType]::ParameterValue, 'Remove what a desk run left behind')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Try the whole loop in a scratch project, step by step')
            [CompletionResult]::new('exit-codes', 'exit-codes', [CompletionResultType]::ParameterValue, 'Print the exit codes of every command')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print what a shell needs to complete words, or write it to its file')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page, or write all of them')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'lean-computer-use;install' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'The project, with the hooks in settings.local.json, which is not committed')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Also allow the desk commands in permissions.allow, so that no call asks')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be done, and write nothing')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Print what would be changed as a unified diff, and write nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace files of somebody else (kept in a backup, which uninstall gives back), edited ones too, and put back what you removed')
            [CompletionResult]::new('--no-hooks', '--no-hooks', [CompletionResultType]::ParameterName, 'Register no hooks: files only')
            [CompletionResult]::new('--follow-links', '--follow-links', [CompletionResultType]::ParameterName, 'Follow links that lead out of the project')
            [CompletionResult]::new('--as-root', '--as-root', [CompletionResultType]::ParameterName, 'Install as root into a folder of another user, who will own the files')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Ask nothing')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Ask nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;uninstall' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'The project, with the hooks in settings.local.json, which is not committed')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be done, and write nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;verify' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'The project, with the hooks in settings.local.json, which is not committed')
            [CompletionResult]::new('--proof', '--proof', [CompletionResultType]::ParameterName, 'See every exit code again, through the installed launchers and the recorded binary')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;status' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;diff' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'The project, with the hooks in settings.local.json, which is not committed')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'As install --allow')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;doctor' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'The project folder [default: the nearest one upwards with .claude or .git]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user''s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'The project, with the hooks in settings.local.json, which is not committed')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;meter' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'What each row stands for')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'From this time on: 2026-08-04, 2026-08-04T12:30, 7d, 12h')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Up to this time; a day is included')
            [CompletionResult]::new('--timezone', '--timezone', [CompletionResultType]::ParameterName, 'Time zone of days and times, as Europe/Berlin [default: that of this machine]')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Only this session: its id, or the beginning of it')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Only subagents of this type; main for the main thread')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Only these models, * and ? stand for anything')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show this many rows: the newest days, weeks or months, else the most expensive')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write a page with charts to this file: one HTML file that needs nothing else')
            [CompletionResult]::new('--no-ledger', '--no-ledger', [CompletionResultType]::ParameterName, 'Read every transcript anew, and keep nothing of it')
            [CompletionResult]::new('--no-cost', '--no-cost', [CompletionResultType]::ParameterName, 'Show no costs')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--csv', '--csv', [CompletionResultType]::ParameterName, 'Print comma-separated values')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Show the table anew every two seconds until interrupted')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Two sessions, files or folders side by side, with ratios')
            break
        }
        'lean-computer-use;meter;compare' {
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table')
            [CompletionResult]::new('--no-cost', '--no-cost', [CompletionResultType]::ParameterName, 'Show no costs')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;desk' {
            [CompletionResult]::new('--approve', '--approve', [CompletionResultType]::ParameterName, 'Press a control with this label though it sounds risky (send, delete, close, …)')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the state of this run here')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End a driver call after this many milliseconds')
            [CompletionResult]::new('--allow-app', '--allow-app', [CompletionResultType]::ParameterName, 'Operate a terminal or the system settings')
            [CompletionResult]::new('--foreground', '--foreground', [CompletionResultType]::ParameterName, 'Bring the window to the front where keys cannot reach it otherwise')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--simulated', '--simulated', [CompletionResultType]::ParameterName, 'Act on the built-in simulated calculator instead of the real desktop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;desk-run' {
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Copy the full read to the project''s evidence folder under this name')
            [CompletionResult]::new('--approve', '--approve', [CompletionResultType]::ParameterName, 'Press a control with this label though it sounds risky (send, delete, close, …)')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the state of this run here')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End a driver call after this many milliseconds')
            [CompletionResult]::new('--one-by-one', '--one-by-one', [CompletionResultType]::ParameterName, 'Never send several actions in one driver call')
            [CompletionResult]::new('--allow-app', '--allow-app', [CompletionResultType]::ParameterName, 'Operate a terminal or the system settings')
            [CompletionResult]::new('--foreground', '--foreground', [CompletionResultType]::ParameterName, 'Bring the window to the front where keys cannot reach it otherwise')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--simulated', '--simulated', [CompletionResultType]::ParameterName, 'Act on the built-in simulated calculator instead of the real desktop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;desk-read' {
            [CompletionResult]::new('--max', '--max', [CompletionResultType]::ParameterName, 'Show at most this many lines')
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'Show controls of this role only')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Copy the full read to the project''s evidence folder under this name')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the state of this run here')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End a driver call after this many milliseconds')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Show every line, up to --max, not only texts')
            [CompletionResult]::new('--changes', '--changes', [CompletionResultType]::ParameterName, 'Show what is other than in the last read: + came, ~ changed, - went')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--simulated', '--simulated', [CompletionResultType]::ParameterName, 'Act on the built-in simulated calculator instead of the real desktop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;desk-running' {
            [CompletionResult]::new('--app-name', '--app-name', [CompletionResultType]::ParameterName, 'Another name that the app can be listed under')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the state of this run here')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End a driver call after this many milliseconds')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--simulated', '--simulated', [CompletionResultType]::ParameterName, 'Act on the built-in simulated calculator instead of the real desktop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;desk-clean' {
            [CompletionResult]::new('--app-name', '--app-name', [CompletionResultType]::ParameterName, 'The app''s display name, which quitting it on macOS goes by')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Keep the state of this run here')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'End a driver call after this many milliseconds')
            [CompletionResult]::new('--launched-by-run', '--launched-by-run', [CompletionResultType]::ParameterName, 'Also quit the app, gently, if this run launched it, by whatever name; until then it exits 3')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--simulated', '--simulated', [CompletionResultType]::ParameterName, 'Act on the built-in simulated calculator instead of the real desktop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;try' {
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep the scratch project in this new or empty folder')
            [CompletionResult]::new('--real', '--real', [CompletionResultType]::ParameterName, 'Use the real cua-driver on a real calculator instead of the simulated one')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;exit-codes' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;completions' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write the file below DIR, under the name that the shell looks for')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;man' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write every page below DIR instead, such as ~/.local/share/man/man1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'lean-computer-use;help' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install the desk tools, the runner agent and the hooks into a project''s .claude')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Give back exactly what was there before')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare what is installed with what was shipped')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say what is installed where')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what install would change')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check that everything works here, and say what mends it')
            [CompletionResult]::new('meter', 'meter', [CompletionResultType]::ParameterValue, 'Count tokens over Claude Code transcripts')
            [CompletionResult]::new('desk', 'desk', [CompletionResultType]::ParameterValue, 'Call one driver tool on one app')
            [CompletionResult]::new('desk-run', 'desk-run', [CompletionResultType]::ParameterValue, 'Run a packet of steps on one app')
            [CompletionResult]::new('desk-read', 'desk-read', [CompletionResultType]::ParameterValue, 'Read an app''s window, filtered and redacted')
            [CompletionResult]::new('desk-running', 'desk-running', [CompletionResultType]::ParameterValue, 'Tell whether an app runs')
            [CompletionResult]::new('desk-clean', 'desk-clean', [CompletionResultType]::ParameterValue, 'Remove what a desk run left behind')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Try the whole loop in a scratch project, step by step')
            [CompletionResult]::new('exit-codes', 'exit-codes', [CompletionResultType]::ParameterValue, 'Print the exit codes of every command')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print what a shell needs to complete words, or write it to its file')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a man page, or write all of them')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'lean-computer-use;help;install' {
            break
        }
        'lean-computer-use;help;uninstall' {
            break
        }
        'lean-computer-use;help;verify' {
            break
        }
        'lean-computer-use;help;status' {
            break
        }
        'lean-computer-use;help;diff' {
            break
        }
        'lean-computer-use;help;doctor' {
            break
        }
        'lean-computer-use;help;meter' {
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Two sessions, files or folders side by side, with ratios')
            break
        }
        'lean-computer-use;help;meter;compare' {
            break
        }
        'lean-computer-use;help;desk' {
            break
        }
        'lean-computer-use;help;desk-run' {
            break
        }
        'lean-computer-use;help;desk-read' {
            break
        }
        'lean-computer-use;help;desk-running' {
            break
        }
        'lean-computer-use;help;desk-clean' {
            break
        }
        'lean-computer-use;help;try' {
            break
        }
        'lean-computer-use;help;exit-codes' {
            break
        }
        'lean-computer-use;help;completions' {
            break
        }
        'lean-computer-use;help;man' {
            break
        }
        'lean-computer-use;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
