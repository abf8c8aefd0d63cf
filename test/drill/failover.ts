import { requireData } from '../../api/client/client.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { FAULTS, type Fault } from './faults.ts'
import { loseCharges } from './lose-charges.ts'
import { canBeStopped, requirePrograms } from './required-programs.ts'
import { type Outcome, runFault, type Stage } from './run-fault.ts'

type Options = {
  readonly directory: string
  readonly runs: number
  /** Runs only the faults whose names contain this text, and the control if `control` contains it. Empty: all. */
  readonly only: string
  readonly say: (line: string) => void
}

/** Charges created per second. */
const RATE = 10

/**
 * Runs each selected fault `runs` times under load, and then the control, if selected, the same number of times.
 *
 * @returns the reasons why the drill failed; empty if it passed
 */
export async function runFailoverDrill({ directory, runs, only, say }: Options): Promise<readonly string[]> {
  const versions = requirePrograms()
  say(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  )
  const cluster = await startCluster(directory)
  try {
    const devnet = await startService(cluster, directory)
    const receiver = await startReceiver()
    try {
      const body = { url: receiver.url, eventCategories: ['payments' as const] }
      await requireData(createApiCaller(devnet.description).POST('/v1/webhooks', { body }))
      const startLoad = (pays: boolean) => startSteadyLoad(devnet, devnet.api.url, { rate: RATE, pays })
      const stage = { cluster, devnet, receiver, load: await startLoad(true) }
      const failed: string[] = []
      for (const fault of FAULTS.filter(({ name }) => name.includes(only)))
        failed.push(...(await repeat(stage, fault, { runs, say, patroni: versions.patroni })))
      await stage.load.stopAsking()
      stage.load.stop()
      if (!'control'.includes(only) && only !== '') return failed
      return [...failed, ...(await control(stage, () => startLoad(false), { runs, say }))]
    } finally {
      await receiver.stop()
      await devnet.stop()
    }
  } finally {
    await cluster.stop()
  }
}

async function startService(cluster: Cluster, directory: string): Promise<Devnet> {
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`
  return startDevnet({
    ...{ directory: `${directory}/devnet`, chains: [BASE], graceSeconds: 1, program: 'dist' },
    database: { url, port: cluster.port },
  })
}

type Repetition = Pick<Options, 'runs' | 'say'> & { readonly patroni: string }

async function repeat(
  stage: Stage,
  fault: Fault,
  { runs, say, patroni }: Repetition,
): Promise<readonly string[]> {
  if (fault.stopsProcesses && !canBeStopped(patroni)) {
    say(`${fault.name}: not measured, because it requires Patroni 3.0.3 and this is ${patroni}`)
    return []
  }
  if (fault.needsOwnDisks && !stage.cluster.hasOwnDisks) {
    say(`${fault.name}: not measured, because it requires root`)
    return []
  }
  const failed: string[] = []
  for (let run = 1; run <= runs; run += 1) {
    try {
      const outcome = await runFault(stage, fault)
      say(present(outcome, run))
      if (outcome.lost > 0) failed.push(`${fault.name} lost ${outcome.lost} charges`)
      // If the connection is lost or the server is read-only, the API must return 503, so that clients try again.
      const internal = outcome.failures['500'] ?? 0
      if (internal > 0) failed.push(`${fault.name}: ${internal} requests returned 500`)
    } catch (error) {
      failed.push(`${fault.name}, run ${run}: ${error instanceof Error ? error.message : String(error)}`)
      say(failed.at(-1) ?? '')
      for (const part of [stage.cluster.etcd, ...Object.values(stage.cluster.patroni)]) part.start()
    }
  }
  return failed
}

async function control(
  stage: Stage,
  startLoad: () => ReturnType<typeof startSteadyLoad>,
  { runs, say }: Pick<Options, 'runs' | 'say'>,
): Promise<readonly string[]> {
  const failed: string[] = []
  for (let run = 1; run <= runs; run += 1) {
    const { made, lost } = await loseCharges(stage, startLoad)
    say(`control, asynchronous replication, run ${run}: ${lost} of ${made} charges lost`)
    if (lost === 0)
      failed.push(`the control of run ${run} lost no charge, so the drill could not detect a loss`)
  }
  return failed
}

function present({ fault, made, lost, gapMs, paidOutMs, failures, payments }: Outcome, run: number): string {
  const failed = Object.entries(failures).map(([start, count]) => `${count} × ${start}`)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return (
    `${fault}, run ${run}: ${lost} of ${made} charges lost; ${seconds(gapMs)} without a charge; ` +
    `paid out after ${seconds(paidOutMs)}; ${payments} payments paid out once; failed requests: ${failed.join(', ') || 'none'}`
  )
}
