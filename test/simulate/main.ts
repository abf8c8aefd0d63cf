/**
 * Runs seeded histories of the whole service against a model of the world: `npm run simulate`.
 *
 * **One process, one thing at a time.** The daemons' own loops (feed, care, charges, reconciliation, evidence, payouts,
 * relayer, releases, webhooks, sequencer) run in this process, unchanged, one or two daemons at once, and the API's
 * statement that makes charges. Whatever they wait for stands in one queue (`engine/scheduler.ts`): a timer, a
 * statement of the database, a request to a node, an endpoint's answer. The earliest is let go; nothing else happens
 * until all that follows from it waits again. A seed decides how long everything takes, and so in which order it comes.
 *
 * **Ports.** *Time and chance*: `engine/owned-process.ts` stands in the place of `Date.now`, timers, `Math.random` and
 * random bytes, for simulated processes alone, told apart by their asynchronous context. *Database*: a real PostgreSQL,
 * a database for each seed; the driver's bytes go through `engine/gated-socket.ts`, which lets one statement at a time
 * through, before or after which the connection may be lost; a statement that waits for a lock waits in PostgreSQL.
 * SQL's `now()` is a function in `public`, searched before the catalog, and told the time with each statement. *Nodes*:
 * `fetch` (`engine/rpc-port.ts`), so that clients, chain ids, rounds and time-outs are the product's. *Endpoints*: `Post`.
 *
 * **The world** (`history.ts`, `model/`): up to three chains with blocks, forks, reorganizations, equal timestamps and
 * two nodes each, that lag, stop, fail, leave out, or serve another chain; payers, keepers, issuers; Ponder, which runs
 * in a process of its own and is modelled by what it writes (`model/ponder.ts`); contracts written anew from Solidity.
 *
 * **A history**: 50 s of trouble, drawn by `plan.ts`; then everything works, and must come to rest. What must hold
 * (`laws.ts`) is compared with the chains: at every so many steps, and at the end.
 *
 * A seed that fails is run again with fewer faults, as few as still make it fail, and printed with its command.
 */
import { parseArgs } from 'node:util'
import { type SimulatedServer, startServer } from './engine/database.ts'
import { findKillingSeeds } from './planted.ts'
import { shrink } from './shrink.ts'
import { type Outcome, simulate } from './simulate.ts'
import { arrangeWorld, CHAIN_IDS } from './world.ts'

const USAGE = `Runs seeded histories of the service against a model of the world.

  npm run simulate -- --seeds N       so many of them (10)
      --from SEED                     from this one on (1)
      --steps M                       of so many things that happen at most
      --trace                         prints all that happens
      --first-failure                 ends with the first seed that fails, and shrinks nothing
  npm run simulate -- --planted       takes rules of npm run mutants out of a copy of the code: each must make a seed fail
      --only TEXT                     those whose rule contains the text
`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'first-failure': { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else process.exitCode = values.planted ? await findKillingSeeds(values.only) : await runSeeds()

async function runSeeds(): Promise<0 | 1> {
  const server = await startServer(CHAIN_IDS, arrangeWorld)
  let failures = 0
  try {
    const from = Number(values.from)
    for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
      const outcome = await runSeed(server, seed)
      if (outcome.failure === null) continue
      failures += 1
      if (values['first-failure']) break
      await explain(server, outcome)
    }
  } finally {
    await server.stop()
  }
  console.log(`${Number(values.seeds) - failures} held, ${failures} failed`)
  return failures === 0 ? 0 : 1
}

async function runSeed(server: SimulatedServer, seed: number): Promise<Outcome> {
  const cpu = process.cpuUsage()
  const outcome = await simulate(server, seed, {
    ...(values.steps !== undefined && { maxSteps: Number(values.steps) }),
    ...(values.trace && { onLine: (line: string) => console.log(line) }),
  })
  const { user, system } = process.cpuUsage(cpu)
  const { failure, hash, happened, simulatedSeconds, faults } = outcome
  const figures = [
    `${happened} steps`,
    `${faults.length} faults`,
    `${Math.round(simulatedSeconds)} s simulated`,
    `${((user + system) / 1e6).toFixed(1)} s computed`,
  ].join(', ')
  console.log(`${failure === null ? 'held  ' : 'FAILED'} ${seed}  ${hash.slice(0, 12)}  ${figures}`)
  if (failure !== null) console.log(`  ${failure}`)
  return outcome
}

async function explain(server: SimulatedServer, failed: Outcome): Promise<void> {
  const { seed } = failed
  const { outcome } = await shrink(failed, (withoutFaults) => simulate(server, seed, { withoutFaults }))
  console.log(`  with ${outcome.faults.length} faults: ${outcome.failure}`)
  for (const fault of outcome.faults) console.log(`    ${fault}`)
  console.log(`  again: npm run simulate -- --seeds 1 --from ${seed} --trace`)
}
