# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lean_computer_use_global_optspecs
    string join \n h/help V/version
end

function __fish_lean_computer_use_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lean_computer_use_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lean_computer_use_using_subcommand
    set -l cmd (__fish_lean_computer_use_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -s V -l version -d 'Print version'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "install" -d 'Install the desk tools, the runner agent and the hooks into a project\'s .claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "uninstall" -d 'Give back exactly what was there before'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "verify" -d 'Compare what is installed with what was shipped'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "status" -d 'Say what is installed where'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "diff" -d 'Show what install would change'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "doctor" -d 'Check that everything works here, and say what mends it'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "meter" -d 'Count tokens over Claude Code transcripts'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "desk" -d 'Call one driver tool on one app'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "desk-run" -d 'Run a packet of steps on one app'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "desk-read" -d 'Read an app\'s window, filtered and redacted'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "desk-running" -d 'Tell whether an app runs'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "desk-clean" -d 'Remove what a desk run left behind'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "try" -d 'Try the whole loop in a scratch project, step by step'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "exit-codes" -d 'Print the exit codes of every command'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "completions" -d 'Print what a shell needs to complete words, or write it to its file'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "man" -d 'Print a man page, or write all of them'
complete -c lean-computer-use -n "__fish_lean_computer_use_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l user -d 'The user\'s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l local -d 'The project, with the hooks in settings.local.json, which is not committed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l allow -d 'Also allow the desk commands in permissions.allow, so that no call asks'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l dry-run -d 'Say what would be done, and write nothing'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l diff -d 'Print what would be changed as a unified diff, and write nothing'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l force -d 'Replace files of somebody else (kept in a backup, which uninstall gives back), edited ones too, and put back what you removed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l no-hooks -d 'Register no hooks: files only'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l follow-links -d 'Follow links that lead out of the project'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l as-root -d 'Install as root into a folder of another user, who will own the files'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -s y -l yes -d 'Ask nothing'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand install" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -l user -d 'The user\'s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -l local -d 'The project, with the hooks in settings.local.json, which is not committed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -l dry-run -d 'Say what would be done, and write nothing'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand uninstall" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -l user -d 'The user\'s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -l local -d 'The project, with the hooks in settings.local.json, which is not committed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -l proof -d 'See every exit code again, through the installed launchers and the recorded binary'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand verify" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand status" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand status" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand status" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand diff" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand diff" -l user -d 'The user\'s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand diff" -l local -d 'The project, with the hooks in settings.local.json, which is not committed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand diff" -l allow -d 'As install --allow'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand diff" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand doctor" -l project -d 'The project folder [default: the nearest one upwards with .claude or .git]' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand doctor" -l user -d 'The user\'s own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand doctor" -l local -d 'The project, with the hooks in settings.local.json, which is not committed'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand doctor" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l by -d 'What each row stands for' -r -f -a "total\t''
day\t''
week\t''
month\t''
session\t''
project\t''
model\t''
agent\t''
tool\t''
message\t''"
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l since -d 'From this time on: 2026-08-04, 2026-08-04T12:30, 7d, 12h' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l until -d 'Up to this time; a day is included' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l timezone -d 'Time zone of days and times, as Europe/Berlin [default: that of this machine]' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l session -d 'Only this session: its id, or the beginning of it' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l agent -d 'Only subagents of this type; main for the main thread' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l model -d 'Only these models, * and ? stand for anything' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l prices -d 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l limit -d 'Show this many rows: the newest days, weeks or months, else the most expensive' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l html -d 'Write a page with charts to this file: one HTML file that needs nothing else' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l no-ledger -d 'Read every transcript anew, and keep nothing of it'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l no-cost -d 'Show no costs'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l csv -d 'Print comma-separated values'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -l watch -d 'Show the table anew every two seconds until interrupted'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and not __fish_seen_subcommand_from compare" -a "compare" -d 'Two sessions, files or folders side by side, with ratios'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and __fish_seen_subcommand_from compare" -l prices -d 'Take prices from this file, in the form of assets/prices.json, instead of the built-in table' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and __fish_seen_subcommand_from compare" -l no-cost -d 'Show no costs'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and __fish_seen_subcommand_from compare" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand meter; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l approve -d 'Press a control with this label though it sounds risky (send, delete, close, …)' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l state -d 'Keep the state of this run here' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l limit -d 'End a driver call after this many milliseconds' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l allow-app -d 'Operate a terminal or the system settings'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l foreground -d 'Bring the window to the front where keys cannot reach it otherwise'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l json -d 'Print one JSON object'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -l simulated -d 'Act on the built-in simulated calculator instead of the real desktop'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l evidence -d 'Copy the full read to the project\'s evidence folder under this name' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l approve -d 'Press a control with this label though it sounds risky (send, delete, close, …)' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l state -d 'Keep the state of this run here' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l limit -d 'End a driver call after this many milliseconds' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l one-by-one -d 'Never send several actions in one driver call'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l allow-app -d 'Operate a terminal or the system settings'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l foreground -d 'Bring the window to the front where keys cannot reach it otherwise'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l json -d 'Print one JSON object'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -l simulated -d 'Act on the built-in simulated calculator instead of the real desktop'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-run" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l max -d 'Show at most this many lines' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l role -d 'Show controls of this role only' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l evidence -d 'Copy the full read to the project\'s evidence folder under this name' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l state -d 'Keep the state of this run here' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l limit -d 'End a driver call after this many milliseconds' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l full -d 'Show every line, up to --max, not only texts'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l changes -d 'Show what is other than in the last read: + came, ~ changed, - went'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l json -d 'Print one JSON object'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -l simulated -d 'Act on the built-in simulated calculator instead of the real desktop'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-read" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -l app-name -d 'Another name that the app can be listed under' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -l state -d 'Keep the state of this run here' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -l limit -d 'End a driver call after this many milliseconds' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -l json -d 'Print one JSON object'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -l simulated -d 'Act on the built-in simulated calculator instead of the real desktop'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-running" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l app-name -d 'The app\'s display name, which quitting it on macOS goes by' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l state -d 'Keep the state of this run here' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l limit -d 'End a driver call after this many milliseconds' -r
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l launched-by-run -d 'Also quit the app, gently, if this run launched it, by whatever name; until then it exits 3'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l json -d 'Print one JSON object'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -l simulated -d 'Act on the built-in simulated calculator instead of the real desktop'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand desk-clean" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand try" -l keep -d 'Keep the scratch project in this new or empty folder' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand try" -l real -d 'Use the real cua-driver on a real calculator instead of the simulated one'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand try" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand exit-codes" -l json -d 'Print one JSON document'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand exit-codes" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand completions" -l out -d 'Write the file below DIR, under the name that the shell looks for' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand completions" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand man" -l out -d 'Write every page below DIR instead, such as ~/.local/share/man/man1' -r -F
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand man" -s h -l help -d 'Print help'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "install" -d 'Install the desk tools, the runner agent and the hooks into a project\'s .claude'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "uninstall" -d 'Give back exactly what was there before'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "verify" -d 'Compare what is installed with what was shipped'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "status" -d 'Say what is installed where'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "diff" -d 'Show what install would change'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "doctor" -d 'Check that everything works here, and say what mends it'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "meter" -d 'Count tokens over Claude Code transcripts'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "desk" -d 'Call one driver tool on one app'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "desk-run" -d 'Run a packet of steps on one app'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "desk-read" -d 'Read an app\'s window, filtered and redacted'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "desk-running" -d 'Tell whether an app runs'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "desk-clean" -d 'Remove what a desk run left behind'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "try" -d 'Try the whole loop in a scratch project, step by step'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "exit-codes" -d 'Print the exit codes of every command'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "completions" -d 'Print what a shell needs to complete words, or write it to its file'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "man" -d 'Print a man page, or write all of them'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and not __fish_seen_subcommand_from install uninstall verify status diff doctor meter desk desk-run desk-read desk-running desk-clean try exit-codes completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c lean-computer-use -n "__fish_lean_computer_use_using_subcommand help; and __fish_seen_subcommand_from meter" -f -a "compare" -d 'Two sessions, files or folders side by side, with ratios'
