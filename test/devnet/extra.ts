import type { DevnetChain } from './networks.ts'
import type { Settings } from './settings.ts'
import type { DevnetDescription } from './write-description.ts'

/** What the default devnet leaves out: started when its chains run, before its processes. */
export type DevnetExtra = (chains: readonly DevnetChain[]) => Promise<StartedExtra>

/** An extra that runs, and what it adds to the settings of the processes and to `devnet.json`. */
export type StartedExtra = {
  readonly settings: { readonly api?: Settings; readonly indexer?: Settings }
  readonly description: Partial<DevnetDescription>
  /** Waits until it can be used, once both processes run. */
  readonly untilReady?: (description: DevnetDescription) => Promise<void>
  readonly stop: () => Promise<void>
}
