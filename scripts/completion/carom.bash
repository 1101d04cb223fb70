# bash completion for carom
_carom() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local commands="run check list example --help --version"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands" -- "$word"))
    return
  fi
  case $before in
    -o|--csv) compopt -o default; return ;;
    --set|--end) return ;;
  esac
  case $command in
    run)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "-o --no-record --set --end --csv --quiet --json --strict --resume --help" -- "$word"))
      else
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$word") $(compgen -f -X '!*.@(yaml|yml)' -- "$word"))
      fi ;;
    check)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "--set --json --help" -- "$word"))
      else
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$word") $(compgen -f -X '!*.@(yaml|yml)' -- "$word"))
      fi ;;
    list) COMPREPLY=($(compgen -W "joints forces methods models" -- "$word")) ;;
    example) COMPREPLY=($(compgen -W "$(carom list models 2>/dev/null | awk '{print $1}')" -- "$word")) ;;
  esac
}
complete -F _carom carom
