import { expect } from 'chai'
import { checkCharge } from '../../../indexer/charge-checks/check-charge.ts'
import { createChainSources } from '../../../indexer/corroboration/chain-sources.ts'
import { findCheckedCharge } from '../../../shared/db/requests/check-requests.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { chainAt } from '../../support/chain-at.ts'
import {
  CONFIRMATIONS,
  catchMessage,
  type PaidCharge,
  type Stage,
  watchedDeployment,
} from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const STRANGER = '0x00000000000000000000000000000000000f00d5'

describe('a check of a charge with a node that invents a payment', () => {
  let stage: Stage
  let liar: RpcProxy
  let other: RpcProxy
  let charge: PaidCharge

  stageForEach(async (fresh) => {
    stage = fresh
    liar = await startRpcProxy(stage.rpcUrl)
    other = await startRpcProxy(stage.rpcUrl)
    charge = await stage.openCharge()
  })

  afterEach(() => Promise.all([liar.stop(), other.stop()]))

  for (const [place, order] of [
    ['first', () => [liar.url, other.url]],
    ['second', () => [other.url, liar.url]],
  ] as const)
    it(`reports and credits nothing if only the ${place} of two nodes shows the payment, and the other denies it or is silent`, async () => {
      const hint = await invent()
      expect(await catchMessage(check(order(), hint))).to.include('nodes contradict each other')
      other.rule((method) => (method === 'eth_getTransactionReceipt' ? 'error' : 'pass'))
      expect(await catchMessage(check(order(), hint))).to.include('too few nodes responded')
      await stage.takeTurns()
      expect(await stage.chargeOf(charge)).to.include({ status: 'pending', receivedAtto: null })
    })

  it('does not report a payment if two of three nodes deny it', async () => {
    const hint = await invent()
    expect(await check([liar.url, other.url, sameNode()], hint)).to.include({
      transactionSender: null,
      progress: null,
    })
    expect(await stage.sql`select from transfers`).to.have.length(0)
  })

  /** Pays another account on the chain. The lying node shows the transfer as a payment to the charge. */
  async function invent(): Promise<Hex> {
    await stage.callToken('mint', [STRANGER, 25_000_000_000n])
    const { transactions } = await stage.node.getBlock()
    await stage.mine(CONFIRMATIONS)
    const topic = `0x${charge.splitAddress.slice(2).padStart(64, '0')}`
    liar.rule(async (method, params) => {
      if (method !== 'eth_getTransactionReceipt') return 'pass'
      const receipt = await stage.node.request({ method, params } as never)
      const { logs } = receipt as { logs: readonly { topics: readonly string[] }[] }
      const invented = logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, 2), topic] }))
      return { result: { ...(receipt as object), logs: invented } }
    })
    return transactions[0] as Hex
  }

  async function check(rpcUrls: readonly string[], txHash: Hex) {
    const deployment = watchedDeployment(stage)
    const chain = chainAt(rpcUrls, deployment)
    const checked = await findCheckedCharge(stage.daemonSql, charge.chargeId)
    if (checked === null) throw new Error('the charge does not exist')
    const log = createLogger({ level: 'error', service: 'test', destination: { write: () => undefined } })
    const chains = [{ deployment, chain, sources: createChainSources(chain, 'evm') }]
    const deps = { sql: stage.daemonSql, chains, now: () => new Date(), log }
    return checkCharge(deps, checked, { network: 'base', txHash })
  }

  /** Returns the fixture's node under another host name, which counts as a third operator. */
  function sameNode(): string {
    return stage.rpcUrl.replace('127.0.0.1', 'localhost')
  }
})
