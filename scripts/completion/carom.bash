# bash completion for carom
_carom_files() {
  local word=$1 ending=$2
  compopt -o filenames
  COMPREPLY=($(compgen -d -- "$word") $(compgen -f -X "!*.@($ending)" -- "$word"))
}

_carom() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options=
  local commands="run check report compare sweep bifurcation identify optimise equilibrium modes export solve list laws example reference help"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$word"))
    return
  fi
  case $before in
    -o|--output|--csv|--friction-csv) compopt -o default; return ;;
    --resume) _carom_files "$word" h5; return ;;
    --to) COMPREPLY=($(compgen -W "csv mat gltf vtk" -- "$word")); return ;;
    --table) COMPREPLY=($(compgen -W "$(carom export --tables "${COMP_WORDS[2]}" 2>/dev/null | awk '{print $1}')" -- "$word"))
      return ;;
    --solver) COMPREPLY=($(compgen -W "chain all $(carom list solvers 2>/dev/null | awk '{print $1}')" -- "$word")); return ;;
    --law) COMPREPLY=($(compgen -W "$(carom list laws 2>/dev/null | awk '{print $1}')" -- "$word")); return ;;
    --method) COMPREPLY=($(compgen -W "moreau stewart-trinkle event iterative lcp-position lcp-velocity compliant smooth" -- "$word")); return ;;
    --set) compopt -o nospace
      COMPREPLY=($(compgen -W "method= integrator= coordinates= record.every= record.touches= record.regimes= record.bodies= record.checkpoint= record.compression=" -- "$word"))
      return ;;
    --data|--hold-out) _carom_files "$word" csv; return ;;
    --loss) COMPREPLY=($(compgen -W "squares huber" -- "$word")); return ;;
    --points) COMPREPLY=($(compgen -W "random sobol" -- "$word")); return ;;
    --end|--threads|--vary|--take|--keep|--sample|--seed|--shard|--tolerance|--iterations|--restitution|--stiffness|--damping|--mass|--speed) return ;;
  esac
  case $command in
    run) options="-o --output --no-record --csv --units --set --end --resume --report --threads -q --quiet --json --strict --force --help" ;;
    check) options="--set --signals --json --help" ;;
    compare) options="--method -o --output --set --end --report --json --force --help" ;;
    sweep) options="--vary --take --keep --sample --seed --points --sensitivity --set --end -j --threads --shard --join -o --output -q --quiet --force --help" ;;
    equilibrium) options="--set --json --help" ;;
    bifurcation) options="--vary --period --section --take --cut --points --tolerance --lyapunov --disturbance --halvings --one-way --set -o --output --json -q --quiet --force --help" ;;
    identify) options="--data --hold-out --fit --match --time --offset --loss --set --starts --searches --seed -j --threads -o --output --write --json -q --quiet --force --help" ;;
    optimise) options="--goal --fit --set --starts --searches --seed -j --threads -o --output --write --json -q --quiet --force --help" ;;
    modes) options="--equilibrium --at-rest --shapes --set -o --output --json --force --help" ;;
    solve) options="--solver --tolerance --iterations --count --solution --help" ;;
    laws) options="--csv --friction-csv --law --restitution --stiffness --damping --mass --speed --force --help" ;;
    report) options="-o --output --force --help" ;;
    example) options="-o --output --help" ;;
    export) options="--to --table --tables --units -o --output --force --help" ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "${options:---help}" -- "$word"))
    return
  fi
  case $command in
    run|check|compare|sweep|bifurcation|identify|optimise|equilibrium|modes) _carom_files "$word" "yaml|yml" ;;
    report|export) _carom_files "$word" h5 ;;
    solve) compopt -o default ;;
    list) COMPREPLY=($(compgen -W "joints constraints forces surfaces laws solids methods integrators solvers functions units models" -- "$word")) ;;
    example) COMPREPLY=($(compgen -W "$(carom example 2>/dev/null | awk '{print $1}')" -- "$word")) ;;
    help) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
  esac
}
complete -F _carom carom
