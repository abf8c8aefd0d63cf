import { type Block, numberToHex, zeroAddress } from 'viem'
import { type ChainClient, createChainClient } from '../../../shared/chain/client.ts'
import { readServedChainId } from '../../../shared/chain/node-transport.ts'
import { FAMILIES } from '../../../shared/domain/families/families.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { TRANSFER_TOPIC } from '../../transport/log-filter.ts'
import { examineBatches } from './examine-batches.ts'
import { type Finding, reasonOf, well } from './finding.ts'

/** A node that has not answered by then is of no use. */
const TIMEOUT_MS = 5_000
/** Below this a head's age says nothing: chains stop for a minute, and a testnet for two (decisions 2.4). */
const LEAST_STALE_SECONDS = 120
/** Blocks without a new one, after which a node stands still. */
const STALE_BLOCKS = 20
/** Clocks of machines that keep time differ by less. */
const SKEW_SECONDS = 30
/** How far back balances are read: a feed may be that far behind when a deadline is decided. */
const STATE_SECONDS = 600
/** As of the scans of reconciliation and checks. */
const LOGS_RANGE = 1_000
/** So many of the latest blocks are looked through for one that holds logs. */
const LOOKED_THROUGH = 30
const NO_BLOOM = /^0x0*$/

/** Reads one node of a deployment, and answers what is wrong with it or that it can be used. */
export async function examineNode(
  deployment: DeploymentConfig,
  { url, nowMs }: { readonly url: string; readonly nowMs: number },
): Promise<readonly Finding[]> {
  const { chainId } = deployment
  const node = `node ${new URL(url).host}`
  const served = await readServedChainId({ url, timeoutMs: TIMEOUT_MS }).catch(reasonOf)
  if (typeof served === 'string')
    return [
      { subject: node, found: `does not answer: ${served}`, mend: 'start it, or name another in rpcUrls' },
    ]
  if (served !== chainId)
    return [
      { subject: node, found: `serves chain ${served}`, mend: `name a node of chain ${chainId} in rpcUrls` },
    ]
  const client = createChainClient({ chainId, rpcUrls: [url] })
  const head = await client.getBlock().catch(reasonOf)
  if (typeof head === 'string')
    return [{ subject: node, found: `has no head: ${head}`, mend: 'name another in rpcUrls' }]
  const checks = [
    ageOf(deployment, { head, nowMs }),
    ...(await Promise.all([
      stateOf(client, deployment, Number(head.number)),
      rangeOf(client, Number(head.number)),
      logsOf(client, Number(head.number)),
    ])),
    ...(await examineBatches(client, deployment, Number(head.number))),
  ]
  const problems = checks.flatMap((check) => (check === null ? [] : [{ subject: node, ...check }]))
  return problems.length > 0 ? problems : [well(node, `chain ${chainId}, block ${head.number}`)]
}

type Problem = Omit<Finding, 'subject'>

function ageOf(
  { blockTimeMs }: DeploymentConfig,
  { head, nowMs }: { head: Block; nowMs: number },
): Problem | null {
  const ageSeconds = Math.round(nowMs / 1000 - Number(head.timestamp))
  const limit = Math.max(LEAST_STALE_SECONDS, (STALE_BLOCKS * blockTimeMs) / 1000)
  if (ageSeconds > limit)
    return {
      found: `its head is ${ageSeconds} s old, at most ${limit}`,
      mend: 'wait until it has caught up, or name another in rpcUrls',
    }
  if (ageSeconds < -SKEW_SECONDS)
    return { found: `its head is ${-ageSeconds} s in the future`, mend: "set this machine's clock (NTP)" }
  return null
}

async function stateOf(
  client: ChainClient,
  { family, blockTimeMs, confirmations }: DeploymentConfig,
  head: number,
): Promise<Problem | null> {
  // Nothing asks such nodes for another state than the latest.
  if (!FAMILIES[family].hasPastState) return null
  const depth = confirmations + Math.ceil((STATE_SECONDS * 1000) / blockTimeMs)
  const blockNumber = BigInt(Math.max(0, head - depth))
  const failure = await client.getBalance({ address: zeroAddress, blockNumber }).then(() => null, reasonOf)
  return failure === null
    ? null
    : {
        found: `has no state of ${depth} blocks ago: ${failure}`,
        mend: `let it keep the state of ${depth} blocks, or name an archive node in rpcUrls`,
      }
}

async function rangeOf(client: ChainClient, head: number): Promise<Problem | null> {
  const range = { fromBlock: numberToHex(Math.max(0, head - LOGS_RANGE + 1)), toBlock: numberToHex(head) }
  // Of nobody: what is asked is whether it answers at all.
  const query = { ...range, address: zeroAddress, topics: [TRANSFER_TOPIC] }
  const failure = await client
    .request({ method: 'eth_getLogs', params: [query as never] })
    .then(() => null, reasonOf)
  return failure === null
    ? null
    : {
        found: `answers no logs of ${LOGS_RANGE} blocks: ${failure}`,
        mend: `raise its limit of eth_getLogs to ${LOGS_RANGE} blocks, or name another in rpcUrls`,
      }
}

/** A node that has dropped its logs answers none under a bloom that is filled. */
async function logsOf(client: ChainClient, head: number): Promise<Problem | null> {
  for (let number = head; number >= 0 && number > head - LOOKED_THROUGH; number -= 1) {
    const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(() => null)
    if (block === null || block.logsBloom === null || NO_BLOOM.test(block.logsBloom)) continue
    const logs = await client.getLogs({ blockHash: block.hash }).catch(() => [])
    return logs.length > 0
      ? null
      : {
          found: `has no logs of block ${number}, whose bloom is filled`,
          mend: 'let it index its logs anew, or name another in rpcUrls',
        }
  }
  return null
}
