import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { FeedPort } from './feed.ts'
import type { Scene } from './scene.ts'

type Options = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  /** For each chain id, the daemon that holds the lock on the chain's Ponder. All daemons share this map. */
  readonly owners: Map<number, SimulatedProcess>
  readonly scene: Scene
  /** Called when the daemon has stopped Ponder in order to repair the feed. */
  readonly onRepair: () => void
}

/**
 * Creates the interface through which the daemon that holds the chain's lock controls Ponder. If that daemon dies,
 * another daemon can acquire the lock immediately, without waiting for a timeout.
 */
export function createFeedPort({ scheduler, process, owners, scene, onRepair }: Options): FeedPort {
  const { deployment, ponder } = scene
  return {
    hold: () => {
      const owner = owners.get(deployment.chainId)
      if (owner === undefined || owner.isDead()) owners.set(deployment.chainId, process)
      return owners.get(deployment.chainId) === process
    },
    run: (feed) => scheduler.real(ponder.run(feed)),
    stop: ponder.stop,
    stopForRepair: async () => {
      ponder.stop()
      onRepair()
    },
    // The simulated Ponder follows only the first node.
    restart: async ([first]) => {
      if (first !== undefined) await scheduler.real(ponder.follow(first))
    },
  }
}
