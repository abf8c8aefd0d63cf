import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createReceiptProver, type ReceiptProver } from '../../../indexer/evidence/receipt-prover.ts'
import type { NodePacer } from '../../../shared/chain/pacing/pacing.ts'
import { isOverBudget, NodeBudgetError } from '../../../shared/chain/pacing/throttle.ts'
import { OP_STACK_BLOCK } from '../../support/evidence/real-op-stack-block.ts'
import { holdTimeLimit } from '../../support/hold-time-limit.ts'

const { hash, header, receipts } = OP_STACK_BLOCK
const HASHES = receipts.map((_, index) => `0x${String(index).padStart(64, '0')}` as const)
const WANTED = {
  blockHash: hash,
  logsOf: new Map([[HASHES[3], [{ logIndex: 1, expected: receipts[3]?.logs[0] }]]]),
}

describe('createReceiptProver', function () {
  this.timeout(60_000)
  let server: Server
  let url: string
  let prover: ReceiptProver
  /** Writes the result of `eth_getBlockReceipts`. */
  let writeReceipts: (write: (text: string) => boolean, end: () => void) => void

  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string }
        response.setHeader('content-type', 'application/json')
        response.write(`{"jsonrpc":"2.0","id":${id},"result":`)
        const end = () => response.end('}')
        if (method === 'eth_getBlockReceipts') return writeReceipts((text) => response.write(text), end)
        response.write(JSON.stringify(method === 'eth_chainId' ? '0x515' : header))
        end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    writeReceipts = writeReal
  })
  afterEach(() => prover.stop())
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const writeReal: typeof writeReceipts = (write, end) => {
    write(JSON.stringify(receipts.map((one, index) => ({ ...one, transactionHash: HASHES[index] }))))
    end()
  }
  const prove = (timeoutMs = 30_000) =>
    prover.prove({ chainId: 0x515, url, wanted: WANTED as never }, timeoutMs)
  const fail = async (timeoutMs?: number) =>
    String(
      await prove(timeoutMs).then(
        () => 'proven',
        (error: unknown) => error,
      ),
    )

  it('proves a receipt of a recorded block in a separate thread', async () => {
    prover = createReceiptProver()
    const { proof, reason } = (await prove()).get(HASHES[3] ?? '0x') ?? {}
    expect(reason).to.equal(null)
    expect(proof).to.deep.include({ transactionIndex: 3, firstLogIndex: 1 })
  })

  it('stops reading a response of excessive size', async () => {
    prover = createReceiptProver()
    let written = 0
    writeReceipts = (write) => {
      const more = () => {
        for (let rounds = 0; rounds < 64; rounds += 1) {
          written += 1
          if (written > 200 || !write(' '.repeat(1024 * 1024))) break
        }
        if (written <= 200) setImmediate(more)
      }
      more()
    }
    expect(await fail()).to.match(/size|large|exceed/i)
    expect((await startAgain()).size).to.equal(1)
  })

  it('fails the proof, but not the process, if a block exceeds the thread’s memory', async () => {
    prover = createReceiptProver({ maxHeapMb: 24 })
    writeReceipts = (write, end) => {
      const one = JSON.stringify({ ...receipts[0], transactionHash: HASHES[0] })
      write(`[${Array.from({ length: 12_000 }, () => one).join(',')}]`)
      end()
    }
    expect(await fail()).to.match(/memory|thread ended/i)
    prover = createReceiptProver()
    expect((await startAgain()).size).to.equal(1)
  })

  it('fails a proof after the timeout if a node stalls in the middle of a response', async () => {
    prover = createReceiptProver()
    await prove()
    writeReceipts = (write) => write('[')
    const before = performance.now()
    expect(await fail(300)).to.include('no proof after 300 ms')
    expect(performance.now() - before).to.be.below(20_000)
    expect((await startAgain()).size).to.equal(1)
  })

  it('sends each request when the pacer of the node permits it, and then releases the slot', async () => {
    const turns: string[] = []
    const acquire = ({ priority }: { readonly priority: string }) => {
      turns.push(priority)
      return Promise.resolve(() => void turns.push('end'))
    }
    prover = createReceiptProver({ pacerOf: () => ({ acquire, getDelayMs: () => 0 }) })
    expect((await prove()).size).to.equal(1)
    expect(turns).to.deep.equal(['background', 'end', 'background', 'end', 'background', 'end'])
  })

  it('reports an exceeded node budget if the pacer rejects a request or does not permit it in time', async () => {
    let acquire: NodePacer['acquire'] = () => Promise.resolve(() => undefined)
    const pacer: NodePacer = { acquire: (need) => acquire(need), getDelayMs: () => 0 }
    prover = createReceiptProver({ pacerOf: () => pacer })
    await prove()
    acquire = () => Promise.reject(new NodeBudgetError('no room'))
    expect(isOverBudget(await prove().catch((error: unknown) => error))).to.equal(true)
    const limit = holdTimeLimit(3_000)
    acquire = () => new Promise(() => setImmediate(limit.end))
    const failure = await prove(3_000).catch((error: unknown) => error)
    limit.release()
    expect(isOverBudget(failure)).to.equal(true)
  })

  it('ends a running proof when it is stopped, and rejects further proofs', async () => {
    prover = createReceiptProver()
    await prove()
    writeReceipts = (write) => write('[')
    const failing = fail()
    await prover.stop()
    expect(await failing).to.include('the thread ended')
    expect(await fail()).to.include('the prover is stopped')
  })

  const startAgain = () => {
    writeReceipts = writeReal
    return prove()
  }
})
