/** One instruction of a Dockerfile, with continuation lines joined. */
type Instruction = { readonly name: string; readonly args: string }

type Stage = readonly Instruction[]

/** Command lines of the scripts in package.json, by name. */
type Scripts = Readonly<Record<string, string>>

/** A rule for a Dockerfile. A code in parentheses is hadolint's equivalent rule. */
type Rule = {
  readonly name: string
  readonly isKept: (file: { global: Stage; stages: readonly Stage[] }, scripts: Scripts) => boolean
}

/** Matches image references with the tag `latest` or no tag, whose content can change at any time. */
const MOVING = /:latest$|^[^:@]+$/

const SECRET = /SECRET|PASSWORD|TOKEN|PRIVATE|(^|_)KEY/i

const RULES: readonly Rule[] = [
  {
    name: 'bases are arguments whose defaults have a tag (DL3006, DL3007)',
    isKept: ({ global, stages }) =>
      stages.every(([from]) => /^\$\{\w+\}( AS \w+)?$/.test(from?.args ?? '')) &&
      global.length > 0 &&
      global.every(({ name, args }) => name === 'ARG' && !MOVING.test(args.split('=')[1] ?? '')),
  },
  {
    name: 'the last user is a number that is not root (DL3002)',
    isKept: ({ stages }) => /^[1-9]\d*:[1-9]\d*$/.test(lastOf(stages, 'USER')),
  },
  {
    name: 'commands are lists of words, so that no shell intercepts their signals (DL3025)',
    isKept: ({ stages }) =>
      stages.flat().every(({ name, args }) => !['CMD', 'ENTRYPOINT'].includes(name) || args.startsWith('["')),
  },
  {
    name: 'directories are absolute, and set before anything is copied (DL3000, DL3045)',
    isKept: ({ stages }) =>
      stages.every((stage) => {
        const at = stage.findIndex(({ name, args }) => name === 'WORKDIR' && args.startsWith('/'))
        return at !== -1 && stage.slice(0, at).every(({ name }) => name !== 'COPY' && name !== 'RUN')
      }),
  },
  {
    name: 'no file is added from a URL (DL3020)',
    isKept: ({ stages }) => !names(stages).includes('ADD'),
  },
  {
    name: 'packages are installed from the lock file (DL3016)',
    isKept: ({ stages }) =>
      runs(stages).every((run) => !/\b(npm (i|install|update)|npx|apt-get|apk|curl|wget|sudo)\b/.test(run)),
  },
  {
    name: 'no failure is hidden by a pipe (DL4006)',
    isKept: ({ stages }) => runs(stages).every((run) => !/[^|]\|[^|]/.test(run)),
  },
  {
    name: 'no secret is an argument or a variable',
    isKept: ({ global, stages }) =>
      [...global, ...stages.flat()].every(
        ({ name, args }) => (name !== 'ARG' && name !== 'ENV') || !SECRET.test(args.split('=')[0] ?? ''),
      ),
  },
  {
    name: 'files that npm scripts run are copied first',
    isKept: ({ stages }, scripts) => stages.every((stage) => findUncopied(stage, scripts).length === 0),
  },
  {
    name: 'the last stage only copies from other stages, and builds nothing',
    isKept: ({ stages }) => {
      const last = stages.at(-1) ?? []
      const copies = last.filter(({ name }) => name === 'COPY')
      return (
        stages.length > 1 &&
        copies.length > 0 &&
        copies.every(({ args }) => args.startsWith('--from=')) &&
        runs([last]).every((run) => !/\bnpm\b/.test(run))
      )
    },
  },
]

/** Returns the rules that a Dockerfile breaks, given the scripts of package.json. */
export function findDockerfileProblems(text: string, scripts: Scripts): readonly string[] {
  const file = parse(text)
  return RULES.filter(({ isKept }) => !isKept(file, scripts)).map(({ name }) => name)
}

/** Finds the files that npm scripts run in this stage before the stage has copied them. */
function findUncopied(stage: Stage, scripts: Scripts): readonly string[] {
  return stage.flatMap(({ name, args }, at) => {
    if (name !== 'RUN') return []
    const copied = stage.slice(0, at).flatMap((one) => (one.name === 'COPY' ? one.args.split(' ') : []))
    const run = [...args.matchAll(/\bnpm run (?:--silent )?(\S+)/g)].map(([, script = '']) => scripts[script])
    const files = run.flatMap((line) => (line ?? '').match(/\S+\/\S+/g) ?? [])
    return files.filter((file) => !copied.includes('.') && !copied.includes(file))
  })
}

function parse(text: string): { global: Stage; stages: readonly Stage[] } {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ')
  const instructions = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ')[0] ?? '', args: line.slice(line.indexOf(' ') + 1).trim() }))
  const starts = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []))
  return {
    global: instructions.slice(0, starts[0]),
    stages: starts.map((start, index) => instructions.slice(start, starts[index + 1])),
  }
}

function names(stages: readonly Stage[]): readonly string[] {
  return stages.flat().map(({ name }) => name)
}

function runs(stages: readonly Stage[]): readonly string[] {
  return stages.flat().flatMap(({ name, args }) => (name === 'RUN' ? [args] : []))
}

function lastOf(stages: readonly Stage[], wanted: string): string {
  return stages.at(-1)?.findLast(({ name }) => name === wanted)?.args ?? ''
}
