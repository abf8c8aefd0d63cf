import { expect } from 'chai'
import { type Hex, keccak256, parseGwei, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createCostLimit } from '../../../../api/client/exit/cost-limit.ts'
import { createEvmSender } from '../../../../api/client/exit/evm-sender.ts'
import type { ExitChain } from '../../../../api/client/exit/exit-chain.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { listKnownChains } from '../../../../api/client/exit/known-chains.ts'
import type { SentBatch } from '../../../../api/client/exit/sender.ts'
import { createChainNodes } from '../../../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../../../shared/chain/nodes/client.ts'
import { addressOfByte, buildCharge } from '../../../support/checked-charges.ts'
import { startRpcServer } from '../../../support/rpc-server.ts'

const CHAIN_ID = 8453
const HUGE = `0x${parseGwei('1000000').toString(16)}`

describe('the sender of EVM chains', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const charge = parseExitCharge(buildCharge({}))
  const token = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }
  const payment = { charge, token, amount: 1n, recipient: null, to: charge.factory, data: '0x1234' as const }

  it('signs its own chain id, nonce, gas and bounded fees, regardless of the node’s values', async () => {
    const node = await startHostileNode({ gas: 100_000 })
    try {
      await send(node.url, 100_000n)
      const { chainId, nonce, gas, value = 0n, to, data, ...fees } = parseTransaction(node.sent[0] ?? '0x')
      expect({ chainId, nonce, gas, value, to: to?.toLowerCase(), data }).to.deep.equal({
        ...{ chainId: CHAIN_ID, nonce: 3, gas: 125_000n, value: 0n, to: charge.factory, data: '0x1234' },
      })
      // The bounds of base (gas-bounds.ts).
      expect([fees.maxFeePerGas, fees.maxPriorityFeePerGas]).to.deep.equal([parseGwei('5'), parseGwei('0.1')])
      expect(node.methods).to.not.include('eth_fillTransaction')
    } finally {
      node.stop()
    }
  })

  it('does not sign a transaction whose maximum cost exceeds the remaining limit', async () => {
    const node = await startHostileNode({ gas: 100_000 })
    try {
      // 125,000 gas at 5 gwei, the bound of base, and 1,000 wei of other fees.
      const cost = 125_000n * parseGwei('5') + 1_000n
      const blocked = await send(node.url, 100_000n, { maxCost: 2n * cost - 1n, count: 2 })
      expect(node.sent).to.have.length(1)
      expect(blocked.map(({ reason }) => reason)).to.deep.equal([
        `its transaction may cost ${cost}, but only ${cost - 1n} of --max-cost ${2n * cost - 1n} is left`,
      ])
    } finally {
      node.stop()
    }
  })

  it('reports the hash of a transaction even if the response to its broadcast is lost', async () => {
    const node = await startHostileNode({ gas: 100_000, losesResponses: true })
    try {
      const signed: string[] = []
      const sending = send(node.url, 100_000n, { onSigned: ({ txHash }) => signed.push(txHash) })
      const failure = await sending.catch((error: Error) => error.message)
      expect(failure).to.include('the response is lost')
      expect(signed).to.deep.equal(node.sent.slice(0, 1).map((sent) => keccak256(sent)))
    } finally {
      node.stop()
    }
  })

  it('waits until the transactions of an earlier run are mined', async () => {
    const node = await startHostileNode({ gas: 100_000, mined: ['0x6'] })
    try {
      expect(await createEvmSender(connect(node.url)).untilIdle(addressOfByte('aa'))).to.equal(7)
    } finally {
      node.stop()
    }
  })

  it('does not sign a transaction that needs much more gas than was planned', async () => {
    const node = await startHostileNode({ gas: 10_000_000 })
    try {
      const [blocked] = await send(node.url, 100_000n)
      expect(blocked?.reason).to.equal('it needs 12500000 gas, but at most 200000 is allowed')
      expect(node.sent).to.deep.equal([])
    } finally {
      node.stop()
    }
  })

  /** The first transaction has the nonce 3. */
  function send(
    url: string,
    gas: bigint,
    { maxCost = 10n ** 18n, count = 1, onSigned = () => undefined }: SendOptions = {},
  ) {
    const payments = Array.from({ length: count }, () => ({ ...payment, gas, cost: 1n, maxCost: 1n }))
    const costLimit = createCostLimit(maxCost, String)
    const calls = { onSigned, onSent: () => undefined }
    return createEvmSender(connect(url)).send({ account, nonce: 3, payments, costLimit, ...calls })
  }

  function connect(url: string): ExitChain {
    const known = listKnownChains(undefined).find(({ chainId }) => chainId === CHAIN_ID)
    if (known === undefined) throw new Error('base must be known')
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [url] })
    const nodes = createChainNodes({
      chainId: CHAIN_ID,
      quorum: 1,
      nodes: [{ url, name: 'a', operator: 'a' }],
    })
    return { ...known, rpcUrls: [url], client, nodes, factory: charge.factory, contracts: 'match' }
  }
})

type SendOptions = {
  readonly maxCost?: bigint
  readonly count?: number
  readonly onSigned?: (batch: SentBatch) => void
}

type HostileNode = {
  readonly gas: number
  readonly mined?: string[]
  readonly losesResponses?: boolean
}

/** Starts a node that reports huge tips and fills in a transaction for another chain. */
async function startHostileNode({ gas, mined = [], losesResponses = false }: HostileNode) {
  const sent: Hex[] = []
  const methods: string[] = []
  const respond = (method: string, [first, second]: readonly unknown[]): unknown => {
    methods.push(method)
    if (method === 'eth_getTransactionCount' && second === 'latest') return mined.shift() ?? '0x7'
    if (method === 'eth_sendRawTransaction') {
      sent.push(first as Hex)
      if (losesResponses) throw new Error('the response is lost')
    }
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: `0x${CHAIN_ID.toString(16)}`,
      eth_getCode: '0x',
      eth_getTransactionCount: '0x7',
      // The fees for posting and for the operator of an OP stack chain.
      eth_call: `0x${500n.toString(16).padStart(64, '0')}`,
      eth_estimateGas: `0x${gas.toString(16)}`,
      eth_maxPriorityFeePerGas: HUGE,
      eth_gasPrice: HUGE,
      eth_getBlockByNumber: {
        number: '0x1',
        baseFeePerGas: '0x1',
        gasLimit: '0x1',
        gasUsed: '0x0',
        transactions: [],
      },
      eth_fillTransaction: {
        raw: '0x',
        tx: { chainId: '0x1', nonce: '0x63', gas: HUGE, maxFeePerGas: HUGE },
      },
      eth_sendRawTransaction: method === 'eth_sendRawTransaction' ? keccak256(first as Hex) : null,
      eth_getTransactionReceipt: {
        ...{ transactionHash: first, transactionIndex: '0x0', blockNumber: '0x1', blockHash: first },
        ...{ status: '0x1', type: '0x2', logs: [], logsBloom: `0x${'0'.repeat(512)}`, contractAddress: null },
        ...{ from: addressOfByte('aa'), to: addressOfByte('bb'), gasUsed: '0x1', cumulativeGasUsed: '0x1' },
        effectiveGasPrice: '0x1',
      },
    }
    return results[method] ?? null
  }
  return { ...(await startRpcServer(respond)), sent, methods }
}
