/**
 * Removes rules from a copy of the code, one by one, and reports each rule whose test still passes: `npm run
 * test:mutation`.
 *
 * First runs the tests of the selected rules on the unchanged code, because a test that already fails cannot show that
 * it guards a rule.
 */
import { parseArgs } from 'node:util'
import { createRandom } from '../support/seeded-random.ts'
import { isCheap, type Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { byFile, isKill, runProofs, summarize, type Verdict } from './run-proof.ts'
import { makeScratchCopy, type ScratchCopy } from './scratch-copy.ts'

const USAGE = `Removes rules from a copy of the code, one by one, and reports each rule whose test still passes.

  npm run test:mutation                          all rules (about half an hour)
  npm run test:mutation -- --only TEXT           rules whose text, place or test file contains TEXT
  npm run test:mutation -- --cheap --sample 8    8 rules whose tests need neither database nor chain
      --seed N                             selects the sample; by default a different sample every day
  npm run test:mutation -- --list                lists the rules
`

/** Number of copies of the work tree in which mutants run concurrently: one per core of a machine with two cores. */
const LANES = 2

const OUTCOMES: Readonly<Record<Verdict, string>> = {
  fails: 'killed  ',
  stopped: 'killed by the time limit',
  passes: 'SURVIVED',
  broken: 'BROKEN  ',
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    cheap: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else if (values.list) for (const mutant of choose()) console.log(describe(mutant))
else process.exitCode = await run(choose())

function choose(): readonly Mutant[] {
  const wanted = MUTANTS.filter(
    (mutant) => describe(mutant).includes(values.only) && (!values.cheap || isCheap(mutant)),
  )
  if (values.sample === undefined) return wanted
  const random = createRandom(Number(values.seed))
  const order = wanted.map((mutant) => ({ mutant, place: random.fraction() }))
  return order
    .toSorted((a, b) => a.place - b.place)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant)
}

/**
 * Prints a line for each mutant when its test ends. Returns the exit code: 0 if there is at least one mutant, all are
 * killed, and all tests pass on the unchanged code.
 */
async function run(mutants: readonly Mutant[]): Promise<0 | 1> {
  if (values.sample !== undefined) console.log(`seed ${values.seed}`)
  const copies = Array.from({ length: LANES }, makeScratchCopy)
  process.once('exit', () => copies.forEach(({ remove }) => remove()))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

  const unproved: string[] = []
  await inLanes(copies, byFile(mutants.map(({ test }) => test)), async (copy, proofs) => {
    const { verdict, result } = await runProofs(copy.directory, proofs)
    if (verdict === 'passes') return
    unproved.push(proofs.file)
    console.log(`UNPROVED  ${proofs.file}: ${verdict} although no rule was removed\n${result.output}`)
  })
  const verdicts: Verdict[] = []
  await inLanes(copies, mutants, async (copy, mutant) => {
    const { verdict } = await copy.without(mutant, () =>
      runProofs(copy.directory, { file: mutant.test.file, titles: [mutant.test.title] }),
    )
    verdicts.push(verdict)
    console.log(`${OUTCOMES[verdict]}  ${describe(mutant)}`)
  })
  console.log(summarize(verdicts))
  return verdicts.every(isKill) && unproved.length === 0 && mutants.length > 0 ? 0 : 1
}

/** Processes the items concurrently, each in the first free copy. */
async function inLanes<Item>(
  copies: readonly ScratchCopy[],
  items: readonly Item[],
  use: (copy: ScratchCopy, item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await use(copy, item)
    }),
  )
}

function describe({ rule, at, test }: Mutant): string {
  return `${rule}  (${at}; ${test.file})`
}
