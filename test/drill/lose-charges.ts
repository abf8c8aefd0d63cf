import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../shared/db/connect.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { SteadyLoad } from '../support/steady-load.ts'
import type { Cluster } from './cluster.ts'
import { killServer, requireLeader } from './faults.ts'
import { listServerChildren, signal } from './processes.ts'
import { listMissing, type Stage } from './run-fault.ts'

const WAIT_MS = 240_000

/** Time during which only the primary stores the created charges. */
const UNREPLICATED_MS = 3_000

/**
 * Runs the drill's control: with asynchronous replication, kills the primary while its standbys receive nothing. If no
 * charge is lost, the drill could not detect a loss.
 *
 * Kills the stopped WAL receivers instead of continuing them, because their sockets still contain the primary's data.
 *
 * @returns how many charges were created with a 201 response, and how many of these charges are lost
 */
export async function loseCharges({ cluster, devnet }: Stage, startLoad: () => Promise<SteadyLoad>) {
  await cluster.untilHealthy()
  await setSynchronous(cluster, false)
  const load = await startLoad()
  await waitFor(() => load.made.length > 0, { what: 'charges', timeoutMs: WAIT_MS })
  const leader = await requireLeader(cluster)
  const standbys = cluster.members.filter(({ name }) => name !== leader.name)
  const receivers = standbys.flatMap(({ dataDirectory }) => listServerChildren(dataDirectory, 'walreceiver'))
  for (const pid of receivers) signal(pid, 'SIGSTOP')
  await delay(UNREPLICATED_MS)
  await cluster.patroni[leader.name]?.kill()
  killServer(leader)
  const made = load.made.map(({ id }) => id)
  for (const pid of receivers) signal(pid, 'SIGKILL')
  await load.stopAsking()
  load.stop()
  const missing = await waitFor(() => listMissing(devnet, made), { what: 'a primary', timeoutMs: WAIT_MS })
  cluster.patroni[leader.name]?.start()
  await setSynchronous(cluster, true)
  return { made: made.length, lost: missing.length }
}

async function setSynchronous(cluster: Cluster, isSynchronous: boolean): Promise<void> {
  await cluster.configure({ synchronous_mode: isSynchronous, synchronous_mode_strict: isSynchronous })
  const isSet = async () => ((await readStandbys(cluster)) !== '') === isSynchronous
  await waitFor(isSet, { what: 'the replication to change', timeoutMs: WAIT_MS })
}

async function readStandbys({ port }: Cluster): Promise<string> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const sql = connect({ url, applicationName: 'drill', maxConnections: 1 })
  try {
    const [row] = await sql<[{ names: string }]>`select current_setting('synchronous_standby_names') as names`
    return row.names
  } finally {
    await sql.end({ timeout: 1 })
  }
}
