/**
 * A daemon that only runs the feed of one deployment, in a separate process that a test can kill.
 *
 * The environment variable STAGE contains the configuration as JSON. The process runs until it is killed or its parent
 * ends.
 */
import { createChainFeed } from '../../indexer/chain-feed/chain-feed.ts'
import { createSleepWatch } from '../../indexer/chain-feed/sleep-watch.ts'
import { connect } from '../../shared/db/connect.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { withSleep } from './ponder-fixture.ts'
import { recordingLog } from './recording-log.ts'

type DaemonStage = {
  readonly databaseUrl: string
  readonly ponderDatabaseUrl: string
  readonly deployment: DeploymentConfig
  readonly sleepAfterSeconds?: number
}

const {
  databaseUrl,
  ponderDatabaseUrl,
  deployment,
  sleepAfterSeconds = 0,
} = JSON.parse(process.env['STAGE'] ?? '{}') as DaemonStage
const sql = connect({ url: databaseUrl, applicationName: 'daemon', maxConnections: 4 })
const { log } = recordingLog()
const sleepWatch = createSleepWatch({ sql, log })
const feed = createChainFeed({
  ...{ databaseUrl, ponderDatabaseUrl, maxHeapMb: 200, silentMs: 900_000, sleepAfterSeconds },
  deployment: withSleep(deployment, sleepWatch),
  ...{ sql, log, now: () => new Date() },
  metrics: {
    setHead: () => undefined,
    setOwner: (_chainId, isOwner) => process.send?.({ isOwner }),
    countMissing: () => undefined,
    countLostCredit: () => undefined,
    setAboveChain: () => undefined,
    setOperatorsResponding: () => undefined,
  },
  onNews: () => undefined,
})
process.once('disconnect', () => process.exit(0))
await sleepWatch.part.start()
await feed.start()
