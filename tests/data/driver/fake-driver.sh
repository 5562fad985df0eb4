#!/bin/sh
# Stands in for cua-driver. Answers `call TOOL` from driver/TOOL.out, .err and .rc beside itself,
# other subcommands from driver/SUBCOMMAND.*; notes its words in driver/argv and what it was sent
# in driver/stdin.
here=${0%/*}/driver
printf '%s\n' "$*" >>"$here/argv"
case $1 in
  call) name=$2 ;;
  *) name=$1 ;;
esac
if [ "$1" = describe ]; then
  # As the real one: 64 for a tool that it has not.
  [ -f "$here/$2.out" ] || [ -f "$here/$2.sh" ] || exit 64
  exit 0
fi
{ cat && echo; } >>"$here/stdin"
if [ -f "$here/$name.sh" ]; then . "$here/$name.sh"; fi
if [ -f "$here/$name.err" ]; then cat "$here/$name.err" >&2; fi
if [ -f "$here/$name.out" ]; then cat "$here/$name.out"; fi
if [ -f "$here/$name.rc" ]; then exit "$(cat "$here/$name.rc")"; fi
