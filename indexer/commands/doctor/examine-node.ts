import type { Block } from 'viem'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { readReportedChainId } from '../../../shared/chain/nodes/node-transport.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { EXAMINATIONS_BY_FAMILY } from './examinations-by-family.ts'
import { createPassedFinding, describeError, type Finding, type Problem } from './finding.ts'

/** Timeout of the request for the chain id. A node that takes longer counts as not responding. */
const TIMEOUT_MS = 5_000
/** A head of this age is not a problem, because chains stall for a minute, and testnets for two (decisions 2.4). */
const MIN_STALE_SECONDS = 120
/** Maximum age of a head, in block intervals, if that is longer than `MIN_STALE_SECONDS`. */
const STALE_BLOCKS = 20
/** Maximum seconds by which a head may be ahead of our clock. Synchronized clocks differ by less. */
const SKEW_SECONDS = 30

/** Returns the problems of one node of a deployment, or a passed finding if it has none. */
export async function examineNode(
  deployment: DeploymentConfig,
  { name, url, nowMs }: { readonly name: string; readonly url: string; readonly nowMs: number },
): Promise<readonly Finding[]> {
  const { chainId } = deployment
  const node = `node ${name}`
  const served = await readReportedChainId({ url, timeoutMs: TIMEOUT_MS }).catch(describeError)
  if (typeof served === 'string')
    return [
      {
        subject: node,
        found: `does not respond: ${served}`,
        remedy: 'start it, or use another node in rpcUrls',
      },
    ]
  if (served !== chainId)
    return [
      { subject: node, found: `serves chain ${served}`, remedy: `use a node of chain ${chainId} in rpcUrls` },
    ]
  const client = createChainClient({ chainId, rpcUrls: [url] })
  const head = await client.getBlock().catch(describeError)
  if (typeof head === 'string')
    return [{ subject: node, found: `returns no head: ${head}`, remedy: 'use another node in rpcUrls' }]
  const checks = [
    ageOf(deployment, { head, nowMs }),
    ...(await EXAMINATIONS_BY_FAMILY[deployment.family].node(client, deployment, Number(head.number))),
  ]
  const problems = checks.flatMap((check) => (check === null ? [] : [{ subject: node, ...check }]))
  return problems.length > 0
    ? problems
    : [createPassedFinding(node, `chain ${chainId}, block ${head.number}`)]
}

function ageOf(
  { blockTimeMs }: DeploymentConfig,
  { head, nowMs }: { head: Block; nowMs: number },
): Problem | null {
  const ageSeconds = Math.round(nowMs / 1000 - Number(head.timestamp))
  const limit = Math.max(MIN_STALE_SECONDS, (STALE_BLOCKS * blockTimeMs) / 1000)
  if (ageSeconds > limit)
    return {
      found: `its head is ${ageSeconds} s old, above the limit of ${limit} s`,
      remedy: 'wait until it has caught up, or use another node in rpcUrls',
    }
  if (ageSeconds < -SKEW_SECONDS)
    return { found: `its head is ${-ageSeconds} s in the future`, remedy: "set this machine's clock (NTP)" }
  return null
}
