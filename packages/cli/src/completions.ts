/** The completion scripts. They are small: each calls `orgplane __complete` to get the candidates. */
import type { Shell } from "./invocation.ts"

const bash = `# Completion for orgplane in bash.
_orgplane() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line == ":files" ]]; then
      compopt -o default
      COMPREPLY=()
      return
    fi
    COMPREPLY+=("$line")
  done < <(orgplane __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _orgplane orgplane`

const zsh = `#compdef orgplane
# Completion for orgplane in zsh.
_orgplane() {
  local line value help
  local -a candidates
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    help=\${line#*$'\\t'}
    if [[ $value == ":files" ]]; then
      _files
      return
    fi
    candidates+=("\${value//:/\\\\:}:$help")
  done < <(orgplane __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'orgplane' candidates
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _orgplane "$@"
else
  compdef _orgplane orgplane
fi`

const fish = `# Completion for orgplane in fish.
function __orgplane_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (orgplane __complete -- $words[2..-1] 2>/dev/null)
  if string match -q ':files*' -- $lines[1]
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines
  end
end
complete -c orgplane -f -a '(__orgplane_complete)'`

const powershell = `# Completion for orgplane in PowerShell.
Register-ArgumentCompleter -Native -CommandName orgplane -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  # Older versions do not pass empty arguments to programs.
  $env:ORGPLANE_COMPLETE_WORDS = $words -join "\`n"
  try {
    orgplane __complete 2>$null | Where-Object { $_ -notlike ':files*' } | ForEach-Object {
      $value, $help = $_ -split "\`t", 2
      if (-not $help) { $help = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
  } finally {
    Remove-Item Env:ORGPLANE_COMPLETE_WORDS
  }
}`

export const completions: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }
