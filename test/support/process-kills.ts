import type { Devnet } from '../devnet/devnet.ts'
import type { Service } from '../devnet/service.ts'
import { listPonders } from './ponder-processes.ts'

/** Kills one of our processes with SIGKILL. What nothing else starts again is left for an orchestrator to start. */
export const KILLS = {
  'a Ponder process': (devnet: Devnet) => killPonder(devnet, ([first]) => first),
  'the daemon': ({ indexer }: Devnet) => indexer.kill(),
  'the API': ({ api }: Devnet) => api.kill(),
  PostgreSQL: async ({ postgres }: Devnet) => {
    await postgres.kill()
    await postgres.restart()
  },
}

export type Victim = keyof typeof KILLS

/** Kills one of the daemon's Ponder processes, if there is any. The daemon starts it again. */
export async function killPonder(
  { indexer }: Devnet,
  choose: (pids: readonly number[]) => number | undefined,
): Promise<void> {
  const ponders = listPonders(indexer.pid())
  const pid = ponders.length > 0 ? choose(ponders) : undefined
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** Kills a service and starts it again; resolves when it is ready. */
export async function killAndStart(service: Service): Promise<void> {
  await service.kill()
  await service.start()
}

/**
 * Restarts a service that has exited, as an orchestrator does. When a new connection is lost while the PostgreSQL driver
 * reads the types of arrays, the driver throws where the process cannot catch it, and the process exits with code 75.
 */
export function superviseServices({ api, indexer }: Devnet): { readonly stop: () => void } {
  const timer = setInterval(() => [api, indexer].forEach((service) => service.launch()), 250)
  return { stop: () => clearInterval(timer) }
}

/** Returns the fault of a round. The faults take turns. */
export function chooseFault<Fault>(faults: readonly Fault[], round: number): Fault {
  const fault = faults[round % faults.length]
  if (fault === undefined) throw new Error('no faults to choose from')
  return fault
}
