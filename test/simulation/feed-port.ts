import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { FeedPort } from './feed.ts'
import type { Scene } from './scene.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  /** The owner of each chain. */
  readonly owners: Map<number, SimulatedProcess>
  readonly scene: Scene
}

/** Creates a daemon's access to the Ponder of a chain. The lock of a dead owner is free immediately. */
export function createFeedPort({ scheduler, process, owners, scene }: Terms): FeedPort {
  const { deployment, ponder } = scene
  return {
    hold: () => {
      const owner = owners.get(deployment.chainId)
      if (owner === undefined || owner.isDead()) owners.set(deployment.chainId, process)
      return owners.get(deployment.chainId) === process
    },
    run: (feed) => scheduler.real(ponder.run(feed)),
    stop: ponder.stop,
    restart: async ([first]) => {
      if (first !== undefined) await scheduler.real(ponder.follow(first))
    },
  }
}
