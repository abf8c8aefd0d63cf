import type { Devnet } from '../devnet/devnet.ts'
import type { Service } from '../devnet/service.ts'
import { listPonders } from './ponder-processes.ts'

/**
 * Functions that kill a process with SIGKILL. The daemon restarts Ponder, and the function for PostgreSQL
 * restarts PostgreSQL. The caller must restart the daemon and the API, as an orchestrator does.
 */
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

/** Kills the Ponder process that `choose` returns, if the daemon has any. The daemon restarts the killed process. */
export async function killPonder(
  { indexer }: Devnet,
  choose: (pids: readonly number[]) => number | undefined,
): Promise<void> {
  const ponders = listPonders(indexer.pid())
  const pid = ponders.length > 0 ? choose(ponders) : undefined
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** Kills a service and starts it again. Resolves when it is ready. */
export async function killAndStart(service: Service): Promise<void> {
  await service.kill()
  await service.start()
}

/**
 * Restarts the API and the daemon when they exit, as an orchestrator does. A process exits with code 75 if a new
 * connection is lost while the PostgreSQL driver reads the array types, because the driver's error cannot be caught.
 */
export function superviseServices({ api, indexer }: Devnet): { readonly stop: () => void } {
  const timer = setInterval(() => [api, indexer].forEach((service) => service.launch()), 250)
  return { stop: () => clearInterval(timer) }
}

/** Returns the fault for a round. The rounds cycle through the list. */
export function chooseFault<Fault>(faults: readonly Fault[], round: number): Fault {
  const fault = faults[round % faults.length]
  if (fault === undefined) throw new Error('the list of faults is empty')
  return fault
}
