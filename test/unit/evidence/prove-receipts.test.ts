import { expect } from 'chai'
import { encodeRlp, hexlify, keccak256, toBeHex } from 'ethers'
import { proveReceipts } from '../../../indexer/evidence/prove-receipts.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { decodeHeader } from '../../../shared/domain/evidence/decode-header.ts'
import type { ReceiptLog } from '../../../shared/domain/evidence/decode-receipt.ts'
import { encodeHeader } from '../../../shared/domain/evidence/encode-header.ts'
import { encodeReceipt } from '../../../shared/domain/evidence/encode-receipt.ts'
import { buildReceiptsTrie, findProvenReceipt } from '../../../shared/domain/evidence/receipt-proof.ts'
import { buildTrie } from '../../support/evidence/build-evidence.ts'
import { ARBITRUM_BLOCK } from '../../support/evidence/real-arbitrum-block.ts'
import { OP_STACK_BLOCK } from '../../support/evidence/real-op-stack-block.ts'
import { POLYGON_BLOCK } from '../../support/evidence/real-polygon-block.ts'
import { REGOLITH_BLOCK } from '../../support/evidence/real-receipts.ts'

type Receipt = Record<string, unknown> & { readonly transactionHash: Hex }

const BLOOM = `0x${'00'.repeat(256)}`
const ZERO = `0x${'0'.repeat(40)}`
const WORD = `0x${'11'.repeat(32)}`

describe('proveReceipts', () => {
  it('proves receipts of every standard type, and counts the logs before each receipt', async () => {
    const receipts = ['0x0', '0x1', '0x2', '0x3', '0x4'].map((type, index) =>
      receipt(index, { type, logs: 2 }),
    )
    const node = await startNode(receipts)
    const results = await node.prove(receipts)
    for (const [index, { transactionHash }] of receipts.entries()) {
      const { proof } = results.get(transactionHash) ?? {}
      expect(proof).to.deep.include({ transactionIndex: index, firstLogIndex: 2 * index })
      const found = await findProvenReceipt(proof?.nodes ?? [], { root: node.root, index })
      expect(found).to.equal(node.encoded[index])
    }
  })

  it('proves receipts in a block with an OP stack deposit, before and after Canyon', async () => {
    const payment = receipt(1)
    for (const depositReceiptVersion of [undefined, '0x1']) {
      const deposit = receipt(0, { type: '0x7e', depositNonce: '0x3d3cff', depositReceiptVersion })
      expect(await getResult([deposit, payment], payment)).to.equal(null)
    }
  })

  for (const [what, { receipts, receiptsRoot }] of Object.entries({
    'the OP stack before Canyon': REGOLITH_BLOCK,
    'the OP stack after Isthmus': { ...OP_STACK_BLOCK, ...OP_STACK_BLOCK.header },
    arbitrum: ARBITRUM_BLOCK,
    polygon: { ...POLYGON_BLOCK, ...POLYGON_BLOCK.header },
  }))
    it(`rebuilds the receipts root of a recorded block of ${what}`, async () => {
      const { root } = await buildReceiptsTrie(receipts.map(encodeReceipt))
      expect(root).to.equal(receiptsRoot)
    })

  for (const [what, { header, hash }] of Object.entries({
    'the OP stack': OP_STACK_BLOCK,
    polygon: POLYGON_BLOCK,
  }))
    it(`encodes the header of a recorded block of ${what}`, () => {
      const encoded = encodeHeader(header, hash)
      expect(keccak256(encoded ?? '0x')).to.equal(hash)
      expect(decodeHeader(encoded ?? '0x')?.receiptsRoot).to.equal(header.receiptsRoot)
    })

  it('proves receipts in a block with Arbitrum’s own transaction types', async () => {
    const payment = receipt(2)
    expect(
      await getResult([receipt(0, { type: '0x6a' }), receipt(1, { type: '0x78' }), payment], payment),
    ).to.equal(null)
  })

  it('proves receipts in a Polygon block, except the state-sync receipt, which the header omits', async () => {
    const payment = receipt(0)
    const takeover = receipt(1, { from: ZERO, to: ZERO })
    const node = await startNode([payment])
    node.receipts = [payment, takeover]
    const results = await node.prove([payment, takeover])
    expect(results.get(payment.transactionHash)?.reason).to.equal(null)
    expect(results.get(takeover.transactionHash)?.reason, 'not proven').to.equal('unknown_receipts')
  })

  it('returns no proof from receipts that a node has changed', async () => {
    const payment = receipt(1, { logs: 1 })
    const node = await startNode([receipt(0), payment])
    for (const changed of [
      [receipt(0), receipt(1, { amount: 2n })],
      [receipt(0, { amount: 2n }), payment],
    ]) {
      node.receipts = changed
      expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal('unknown_receipts')
    }
  })

  it('returns no proof from a node that swaps the hashes of two transactions', async () => {
    const [other, payment] = [receipt(0, { logs: 2, amount: 7n }), receipt(1)]
    const node = await startNode([other, payment])
    node.receipts = [
      { ...other, transactionHash: payment.transactionHash },
      { ...payment, transactionHash: other.transactionHash },
    ]
    expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal('unknown_receipts')
  })

  it('returns no proof of a failed transaction, or of a transaction without a counted log', async () => {
    const failed = receipt(0, { status: '0x0' })
    expect(await getResult([failed], failed)).to.equal('unknown_receipts')
    const silent = receipt(0, { logs: 0 })
    expect(await getResult([silent], silent)).to.equal('unknown_receipts')
  })

  it('does not request receipts if the header’s hash is not the block’s', async () => {
    const payment = receipt(0)
    const node = await startNode([payment])
    node.header = { ...node.original, timestamp: '0x1' }
    await node.prove([payment])
    expect(node.methods).to.deep.equal(['eth_getBlockByHash'])
  })

  it('returns no proof for a header above 64 KiB', async () => {
    const payment = receipt(0)
    const node = await startNode([payment], {}, { extraData: `0x${'00'.repeat(70_000)}` })
    expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal('too_large')
  })

  it('returns no proof from a header that a node has changed', async () => {
    const payment = receipt(0)
    const node = await startNode([payment])
    for (const change of [{ timestamp: '0x1' }, { receiptsRoot: WORD }, { stateRoot: undefined }]) {
      node.header = { ...node.original, ...change }
      expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal('unknown_header')
    }
  })

  it('returns no proof from a response that is malformed or too large', async () => {
    const payment = receipt(0)
    const node = await startNode([payment])
    const bad: unknown[] = [null, {}, [null], [{ ...payment, logs: null }], [{ ...payment, status: 1 }]]
    for (const receipts of [
      ...bad,
      [{ ...payment, type: '0xc0' }],
      Array.from({ length: 20_001 }, () => payment),
    ]) {
      node.receipts = receipts
      expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal('block_not_served')
    }
  })

  it('returns no proof above 28 KiB, or above 128 KiB for a receipt of more than 100 logs', async () => {
    for (const [logs, bytes, reason] of [
      [1, 27 * 1024, null],
      [1, 30 * 1024, 'too_large'],
      [101, 1024, null],
      [101, 1400, 'too_large'],
    ] as const) {
      const payment = receipt(0, { logs, bytes })
      expect(await getResult([payment], payment), `${logs} logs`).to.equal(reason)
    }
  })

  it('proves receipts under headers with the fields of later forks, and under a header of Avalanche', async () => {
    const payment = receipt(0)
    const later = {
      ...{ baseFeePerGas: '0x7', withdrawalsRoot: WORD, blobGasUsed: '0x0', excessBlobGas: '0x0' },
      ...{ parentBeaconBlockRoot: WORD, requestsHash: WORD },
    }
    const avalanche = {
      ...{ extDataHash: WORD, baseFeePerGas: '0x7', extDataGasUsed: '0x0', blockGasCost: '0x0' },
      ...{
        blobGasUsed: '0x0',
        excessBlobGas: '0x0',
        parentBeaconBlockRoot: WORD,
        timestampMilliseconds: '0x5',
      },
    }
    for (const fields of [{}, later, avalanche, { requestsHash: WORD }]) {
      const node = await startNode([payment], fields)
      expect((await node.prove([payment])).get(payment.transactionHash)?.reason).to.equal(null)
    }
  })
})

/** Returns why the receipt was not proven in a block with these receipts; `null` if it was proven. */
async function getResult(receipts: readonly Receipt[], wanted: Receipt) {
  const node = await startNode(receipts)
  return (await node.prove([wanted])).get(wanted.transactionHash)?.reason
}

type Options = Readonly<Record<string, unknown>> & {
  readonly logs?: number
  readonly amount?: bigint
  readonly bytes?: number
}

function receipt(index: number, { logs = 1, amount = 1n, bytes = 32, ...fields }: Options = {}): Receipt {
  const log = { address: `0x${'22'.repeat(20)}`, topics: [WORD], data: toBeHex(amount, bytes) }
  return {
    ...{ type: '0x2', status: '0x1', from: `0x${'33'.repeat(20)}`, to: `0x${'44'.repeat(20)}` },
    ...{ cumulativeGasUsed: toBeHex(21_000 * (index + 1)), logsBloom: BLOOM },
    logs: Array.from({ length: logs }, () => log),
    ...fields,
    transactionHash: toBeHex(index + 1, 32) as Hex,
  }
}

/** Returns the counted logs: the first log of each wanted receipt. */
function placeLogs(receipts: readonly Receipt[], wanted: readonly Receipt[]) {
  return new Map(
    wanted.map(({ transactionHash, logs }) => {
      const index = receipts.findIndex((one) => one.transactionHash === transactionHash)
      const logIndex = receipts
        .slice(0, index)
        .reduce((sum, one) => sum + (one['logs'] as object[]).length, 0)
      const [expected] = logs as ReceiptLog[]
      return [transactionHash, expected === undefined ? [] : [{ logIndex, expected }]] as const
    }),
  )
}

/** Creates a node that returns one block. Tests replace its responses. */
async function startNode(
  receipts: readonly Receipt[],
  later: Readonly<Record<string, string>> = {},
  change: Readonly<Record<string, string>> = {},
) {
  const encoded = receipts.map(encode)
  const trie = await buildTrie(encoded)
  const original: Record<string, unknown> = {
    ...{ parentHash: WORD, sha3Uncles: WORD, miner: ZERO, stateRoot: WORD, transactionsRoot: WORD },
    ...{ receiptsRoot: hexlify(trie.root()), logsBloom: BLOOM, difficulty: '0x0', number: '0x10' },
    ...{ gasLimit: '0x1c9c380', gasUsed: '0x5208', timestamp: '0x6700', extraData: '0x', mixHash: WORD },
    ...{ nonce: '0x0000000000000000', ...change, ...later },
  }
  const hash = keccak256(encodeRlp(listFields(original, later))) as Hex
  const node = {
    methods: [] as string[],
    ...{
      encoded,
      original,
      header: original,
      receipts: receipts as unknown,
      root: original['receiptsRoot'] as Hex,
    },
    prove: (wanted: readonly Receipt[]) => {
      const client = {
        request: async ({ method }: { method: string }) => {
          node.methods.push(method)
          return method === 'eth_getBlockByHash' ? node.header : node.receipts
        },
      } as unknown as ChainClient
      return proveReceipts(client, { blockHash: hash, logsOf: placeLogs(receipts, wanted) })
    },
  }
  return node
}

const NUMBERS = new Set([
  ...[
    'difficulty',
    'number',
    'gasLimit',
    'gasUsed',
    'timestamp',
    'baseFeePerGas',
    'blobGasUsed',
    'excessBlobGas',
  ],
  ...['extDataGasUsed', 'blockGasCost', 'timestampMilliseconds'],
])

/** Lists the fields of a header. An optional field that is missing before a present field is empty. */
function listFields(
  header: Readonly<Record<string, unknown>>,
  later: Readonly<Record<string, string>>,
): string[] {
  const fields = Object.entries(header).map(([name, value]) =>
    NUMBERS.has(name) ? toNumber(String(value)) : String(value),
  )
  const gaps = Object.keys(later).join() === 'requestsHash' ? 5 : 0
  return [...fields.slice(0, 15), ...Array.from({ length: gaps }, () => '0x'), ...fields.slice(15)]
}

function encode({ type, status, cumulativeGasUsed, logsBloom, logs, ...rest }: Receipt): string {
  const { depositNonce, depositReceiptVersion } = rest as {
    depositNonce?: string
    depositReceiptVersion?: string
  }
  const entries = (logs as { address: string; topics: string[]; data: string }[]).map((log) => [
    log.address,
    log.topics,
    log.data,
  ])
  const deposit =
    depositReceiptVersion === undefined ? [] : [String(depositNonce), depositReceiptVersion].map(toNumber)
  const payload = encodeRlp([
    ...[
      toNumber(String(status)),
      toNumber(String(cumulativeGasUsed)),
      String(logsBloom),
      entries,
      ...deposit,
    ],
  ])
  return type === '0x0' ? payload : `${toBeHex(Number(type), 1)}${payload.slice(2)}`
}

function toNumber(hex: string): string {
  return BigInt(hex) === 0n ? '0x' : toBeHex(BigInt(hex))
}
