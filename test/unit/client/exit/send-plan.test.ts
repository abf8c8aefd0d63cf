import { expect } from 'chai'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { ExitChain } from '../../../../api/client/exit/exit-chain.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { type ChainPlan, planChain } from '../../../../api/client/exit/plan-chain.ts'
import { sendPlan } from '../../../../api/client/exit/send-plan.ts'
import type { Address } from '../../../../shared/domain/address.ts'
import { buildCharge, MERCHANT, TREASURY } from '../../../support/checked-charges.ts'
import { connectExitNodes, type ExitNode, empty, startExitNode } from '../../../support/exit-node.ts'

describe('sendPlan', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const [small, large] = [parseExitCharge(buildCharge({})), parseExitCharge(buildCharge({}))]
  const payouts = new Map([['evm' as const, [MERCHANT]]])
  let nodes: readonly ExitNode[]

  beforeEach(async () => {
    nodes = await Promise.all([startExitNode(), startExitNode()])
    for (const node of nodes) {
      node.balances.set(small.splitAddress, 2_000_000n)
      node.onSent = () => nodes.forEach((one) => empty(one, small))
    }
  })

  afterEach(() => nodes.forEach(({ stop }) => stop()))

  it('reports a payment as paid once a majority of the nodes reports that the money has left the split', async () => {
    const { paid, problems, nodes: agreed, sent } = await send()
    expect(paid.map(({ charge }) => charge.id)).to.deep.equal([small.id])
    expect([problems, agreed, sent.length]).to.deep.equal([[], ['node 0', 'node 1'], 1])
  })

  it('reports a payment as unpaid if the money is still in the split, although the receipt is a success', async () => {
    for (const node of nodes) node.onSent = () => undefined
    const { paid, problems } = await send()
    expect(paid).to.deep.equal([])
    expect(problems).to.have.length(1)
    expect(problems[0]).to.match(
      /^base: ch_\w+ 2 USDC: its transaction is 0x\w+, a node reports that it is mined, but the money is still there$/,
    )
  })

  it('names the transaction of a payment if the response to its broadcast is lost', async () => {
    for (const node of nodes)
      node.onSent = () => {
        throw new Error('the response is lost')
      }
    const { problems } = await send()
    expect(problems.at(-1)).to.match(
      / 2 USDC: its transaction is 0x\w{64}, no node reported that it is mined, and the money is still there$/,
    )
  })

  it('does not report a payment as paid if the nodes contradict each other', async () => {
    const [first] = nodes
    if (first !== undefined) first.onSent = () => empty(first, small)
    const { paid, problems } = await send()
    expect(paid).to.deep.equal([])
    expect(problems[0]).to.equal(
      'base: the payments could not be verified with the required number of hosts, 2: run the command again',
    )
    expect(problems[1]).to.include(`${small.id} 2 USDC: unknown whether it is paid`)
  })

  it('reports a share that the split holds because its recipient could not be paid', async () => {
    for (const node of nodes)
      node.onSent = () =>
        nodes.forEach(({ balances, held }) => {
          balances.set(small.splitAddress, 20_000n)
          held.set(TREASURY, 20_000n)
        })
    const { held, problems } = await send()
    expect(held.map(({ recipient, amount }) => [recipient, amount])).to.deep.equal([[TREASURY, 20_000n]])
    expect(problems).to.deep.equal([])
  })

  it('sends only the payments that remain after the account’s earlier transactions are mined', async () => {
    const chain = connectExitNodes(nodes)
    const stale = await plan(chain)
    nodes.forEach((node) => empty(node, small))
    const { paid, problems } = await send(chain, stale)
    expect([paid, problems, nodes.flatMap(({ sent }) => sent)]).to.deep.equal([[], [], []])
  })

  it('does not send a payment that would exceed the total cost limit', async () => {
    const chain = connectExitNodes(nodes)
    const { problems } = await send(chain, await plan(chain), 1n)
    expect(problems[0]).to.match(
      /2 USDC: its transaction may cost [0-9.]+ ETH, but only 0\.0+1 ETH of --max-cost [0-9.]+ ETH is left/,
    )
    expect(nodes.flatMap(({ sent }) => sent)).to.deep.equal([])
  })

  it('makes the largest payments first if the account’s coin does not suffice for all', async () => {
    for (const node of nodes) {
      node.balances.set(large.splitAddress, 5_000_000n)
      node.onSent = () => nodes.forEach((one) => empty(one, large))
      node.fundsWei = 200_000n * 10n ** 9n
    }
    const { paid, problems } = await send()
    expect(paid.map(({ charge }) => charge.id)).to.deep.equal([large.id])
    expect(problems).to.have.length(1)
    expect(problems[0]).to.match(
      /^base: 0x\w+ has 0.0002 ETH for gas; all payments need about 0.00025\d* ETH$/,
    )
  })

  async function send(chain = connectExitNodes(nodes), planned?: ChainPlan, maxCost = 10n ** 18n) {
    return sendPlan(planned ?? (await plan(chain)), {
      ...{ account, payouts, maxCost, say: () => undefined, wait: () => undefined, pauseMs: 1 },
      planAgain: () => plan(chain),
    })
  }

  async function plan(chain: ExitChain): Promise<ChainPlan> {
    const worth = { payouts, minimumMicro: 0n, includesCoin: false }
    const sender = account.address.toLowerCase() as Address
    const read = await planChain(chain, { ...worth, charges: [small, large], account: sender })
    if ('problem' in read) throw new Error(read.problem)
    return read
  }
})
