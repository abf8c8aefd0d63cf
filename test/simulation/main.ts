/**
 * Runs seeded histories of the whole service against a model of the world: `npm run test:simulation`.
 *
 * **One process, one thing at a time.** The daemons' own loops (feed, care, charges, reconciliation, evidence, payouts,
 * relayer, releases, checks, webhooks, sequencer) run in this process, unchanged, one or two daemons at once, the API's
 * statements that make charges and ask for checks, and those of operators' commands. Whatever they wait for stands in
 * one queue (`engine/scheduler.ts`): a timer, a statement of the database, a request to a node, an endpoint's answer. The
 * earliest is let go; nothing else happens until all that follows from it waits again. A seed decides how long everything
 * takes, and so in which order it comes.
 *
 * **Ports.** *Time and chance*: `engine/owned-process.ts` stands in the place of `Date.now`, timers, `Math.random` and
 * random bytes, for the process that something happens to and no other. *Database*: a real PostgreSQL,
 * a database for each seed; the driver's bytes go through `engine/gated-socket.ts`, which lets one statement at a time
 * through, before or after which the connection may be lost; a statement that waits for a lock waits in PostgreSQL.
 * SQL's `now()` is a function in `public`, searched before the catalog, and told the time with each statement. *Nodes*:
 * `fetch` (`engine/rpc-port.ts`), so that clients, chain ids, rounds and time-outs are the product's. *Endpoints*: `Post`.
 *
 * **The world** (`history.ts`, `model/`): up to three chains with blocks, forks, reorganizations, equal timestamps, clocks
 * of their own and two or three nodes each, that lag, stop, fail, refuse what is too much, leave out, serve another
 * chain, or lie (`model/lie.ts`), one of them at a time, to the feed and to every other caller alike;
 * payers, some in the very second of a deadline, keepers, issuers; operators who pause pairs, abandon networks and let
 * held charges end (`operators.ts`); Ponder, which runs in a process of its own and is modelled by what it writes
 * (`model/ponder.ts`); contracts written anew from Solidity. A process that dies is started again, as a supervisor
 * would; none may die of what nobody catches.
 *
 * **A history**: 50 s of trouble, drawn by `plan.ts`; then everything works, and must come to rest. What must hold
 * (`laws.ts`) is compared with the chains: at every so many steps, before each block, and at the end; what the service
 * knew when it decided, the database has written down (`witness.ts`).
 *
 * Each worker is a process with a PostgreSQL of its own (`run-seeds.ts`); a seed takes some 5,000 steps and a second of a
 * core, a third of it PostgreSQL's. A seed that fails is run again with fewer faults, as few as still make it fail, and
 * printed with its command.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type RunSeed, runSeeds } from './run-seeds.ts'
import { findKillingSeeds } from './seeded-bugs.ts'
import { shrink } from './shrink.ts'
import type { Outcome } from './simulate.ts'

const USAGE = `Runs seeded histories of the service against a model of the world.

  npm run test:simulation -- --seeds N       so many of them (10); of up to 20, those that fail are shrunk
      --from SEED                     from this one on (1)
      --workers N                     so many at a time (1), each with a PostgreSQL of its own
      --steps M                       of so many things that happen at most
      --trace                         prints all that happens
      --first-failure                 ends with the first seed that fails, and shrinks nothing
  npm run test:simulation -- --planted       takes rules of npm run test:mutation out of a copy of the code: each must make a seed fail
      --only TEXT                     those whose rule contains the text
      --seeds N                       that it may live through (200)
      --workers N                     so many seeds at a time (1)
`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    steps: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'first-failure': { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

/** Of more seeds than these only each so many are told, and every failure, which is shrunk when it is run alone. */
const FEW = 20
const TELL_EVERY = 50

const workers = countOf('workers', { most: 4 * availableParallelism() })

if (values.help) console.log(USAGE)
else if (values.planted)
  process.exitCode = await findKillingSeeds({
    only: values.only,
    seeds: countOf('seeds', { otherwise: 200 }),
    workers,
  })
else process.exitCode = await run()

async function run(): Promise<0 | 1> {
  const [from, count] = [countOf('from'), countOf('seeds', { otherwise: 10 })]
  const sum = { held: 0, failed: 0, happened: 0, simulatedSeconds: 0, faults: 0 }
  const startedMs = Date.now()
  const onOutcome = async (outcome: Outcome, again: RunSeed) => {
    const isFailed = outcome.failure !== null
    sum[isFailed ? 'failed' : 'held'] += 1
    sum.happened += outcome.happened
    sum.simulatedSeconds += outcome.simulatedSeconds
    sum.faults += outcome.faults.length
    if (isFailed || count <= FEW) tell(outcome)
    else if ((sum.held + sum.failed) % TELL_EVERY === 0)
      console.log(`${sum.held} held, ${sum.failed} failed of ${count} from ${from} on`)
    if (!isFailed) return 'more'
    if (values['first-failure']) return 'enough'
    if (count <= FEW) await explain(outcome, again)
    else console.log(`  again: npm run test:simulation -- --seeds 1 --from ${outcome.seed}`)
    return 'more'
  }
  const order = {
    ...(values.steps !== undefined && { maxSteps: countOf('steps') }),
    isTraced: values.trace,
  }
  await runSeeds({ from, count, workers, onOutcome, order })
  const { held, failed, happened, simulatedSeconds, faults } = sum
  const figures = [
    `${happened} steps`,
    `${faults} faults`,
    `${Math.round(simulatedSeconds)} s simulated`,
    `${Math.round((Date.now() - startedMs) / 1000)} s taken`,
  ].join(', ')
  console.log(`seeds ${from} to ${from + held + failed - 1}: ${held} held, ${failed} failed; ${figures}`)
  return failed === 0 ? 0 : 1
}

function tell({ seed, failure, hash, happened, simulatedSeconds, faults }: Outcome): void {
  const figures = [
    `${happened} steps`,
    `${faults.length} faults`,
    `${Math.round(simulatedSeconds)} s simulated`,
  ].join(', ')
  console.log(`${failure === null ? 'held  ' : 'FAILED'} ${seed}  ${hash.slice(0, 12)}  ${figures}`)
  if (failure !== null) console.log(`  ${failure}`)
}

async function explain(failed: Outcome, again: RunSeed): Promise<void> {
  const { seed } = failed
  const { outcome } = await shrink(failed, (withoutFaults) =>
    again({ seed, withoutFaults: [...withoutFaults] }),
  )
  console.log(`  with ${outcome.faults.length} faults: ${outcome.failure}`)
  for (const fault of outcome.faults) console.log(`    ${fault}`)
  console.log(`  again: npm run test:simulation -- --seeds 1 --from ${seed} --trace`)
}

function countOf(
  option: 'seeds' | 'from' | 'workers' | 'steps',
  { most = 1e9, otherwise = 1 }: { readonly most?: number; readonly otherwise?: number } = {},
): number {
  const text = values[option] ?? String(otherwise)
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > most)
    throw new Error(`--${option} is ${JSON.stringify(text)}: must be a whole number from 1 to ${most}`)
  return count
}
