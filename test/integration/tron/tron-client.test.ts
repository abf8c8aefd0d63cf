import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { encodeFunctionData, erc20Abi } from 'viem'

import { queryTron } from '../../../shared/chain/tron/query-tron.ts'
import {
  readEnergyPrice,
  readSolidifiedHead,
  readTronFunds,
  readTronHead,
} from '../../../shared/chain/tron/read-tron.ts'
import { readTronUint } from '../../../shared/chain/tron/read-tron-uint.ts'
import { createTronNode, type TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { catchMessage } from '../../support/payout-fixture.ts'
import { addressOf, createTronFixture, type TronFixture } from '../../support/tron-fixture.ts'

const USDT = TRON_USDT as Address
const NILE = 3448148188

describe('the TRON node client', function () {
  this.timeout(60_000)

  let tron: TronFixture
  let server: Server
  let answer: (response: ServerResponse) => void

  before(async () => {
    tron = await createTronFixture()
    server = createServer((request, response) => {
      request.resume()
      answer(response)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await tron.stop()
  })
  afterEach(() => {
    Object.assign(tron.chain.habits, { refusedPercent: 0, stakedEnergy: 0 })
  })

  const connect = (url: string, timeoutMs = 20_000): TronNode =>
    createTronNode({ url, chainId: TRON_CHAIN_ID, timeoutMs })
  const good = () => connect(`${tron.url}/jsonrpc`)
  const bad = (timeoutMs?: number) =>
    connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jsonrpc`, timeoutMs)

  it('reads heads, the price of energy, and the balance and resources of an account', async () => {
    for (let blocks = 0; blocks < 20; blocks += 1) await tron.chain.mine()
    const { number, hash, timestamp } = tron.chain.head()
    expect(await readTronHead(good())).to.deep.equal({ number, id: hash, timestampMs: timestamp * 1000 })
    expect((await readSolidifiedHead(good())).number).to.equal(number - 18)
    expect(await readEnergyPrice(good())).to.equal(100n)
    const relayer = addressOf(ACCOUNTS.relayer)
    expect(await readTronFunds(good(), relayer)).to.deep.equal({
      balanceSun: 10n ** 12n,
      energy: 0n,
      bandwidth: 600n,
    })
    tron.chain.habits.stakedEnergy = 5_000
    expect(await readTronFunds(good(), relayer)).to.include({ energy: 5_000n, bandwidth: 600n })
  })

  it('rejects a node of Nile, even though its blocks are valid', async () => {
    const nile = await createTronFixture({ chainId: NILE })
    const foreign = connect(nile.url)
    expect(await catchMessage(readTronHead(foreign))).to.include(`serves chain ${NILE}, not ${TRON_CHAIN_ID}`)
    const { id } = await queryTron([foreign, good()], readTronHead)
    expect(await catchMessage(queryTron([foreign], readTronHead))).to.include('serves chain')
    await nile.stop()
    expect(id).to.equal(tron.chain.head().hash)
  })

  it('queries the next node if a node reports with HTTP 200 that it is rate limited', async () => {
    const other = await createTronFixture()
    other.chain.habits.refusedPercent = 100
    expect(await catchMessage(readTronHead(connect(other.url)))).to.include('lack of computing resources')
    expect((await queryTron([connect(other.url), good()], readTronHead)).id).to.equal(tron.chain.head().hash)
    await other.stop()
  })

  const ANSWERS: Readonly<Record<string, readonly [(response: ServerResponse) => void, string]>> = {
    'a response above half a megabyte': [
      (response) => response.end(`"${'x'.repeat(600_000)}"`),
      'more than 524288 bytes',
    ],
    'a response that is not JSON': [(response) => response.end('<html>'), 'no JSON'],
    'JSON that is not an object': [(response) => response.end('[1]'), 'no object'],
    'no first block': [(response) => response.end('{}'), 'has no first block'],
    'the status 429': [(response) => response.writeHead(429).end('{}'), 'status 429'],
    'no response': [() => undefined, 'did not respond within 300 ms'],
    'a redirect': [
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'could not be',
    ],
  }
  for (const [title, [say, problem]] of Object.entries(ANSWERS)) {
    it(`rejects a node that returns ${title}, and queries the next node`, async () => {
      answer = say
      const node = bad(title === 'no response' ? 300 : undefined)
      expect(await catchMessage(readTronHead(node))).to.include(problem)
      expect((await queryTron([node, good()], readTronHead)).id).to.equal(tron.chain.head().hash)
    })
  }

  describe('reading a number from a contract', () => {
    const account = addressOf(ACCOUNTS.relayer)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
    /** Makes the node respond with this result, and returns the error message of the failed read. */
    const says = (result: object) => {
      answer = (response) => {
        const id = TRON_CHAIN_ID.toString(16).padStart(64, '0')
        response.end(JSON.stringify({ blockID: id, result }))
      }
      return catchMessage(readTronUint(bad(), { to: USDT, data, account }))
    }

    it('returns null for an address without a contract', async () => {
      expect(await readTronUint(good(), { to: USDT, data, account })).to.be.a('bigint')
      expect(await readTronUint(good(), { to: account, data, account })).to.equal(null)
    })

    it('throws an error if the node rejects the call for another reason, even with the error code for a missing contract', async () => {
      const problem = 'cannot run a call to TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
      const message = Buffer.from("this node don't support constant").toString('hex')
      expect(await says({ code: 'CONTRACT_VALIDATE_ERROR', message })).to.include(problem)
      expect(await says({ code: 'OTHER_ERROR', message: '' })).to.include(problem)
      expect(await says({})).to.include(problem)
    })
  })
})
