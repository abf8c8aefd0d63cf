import { expect } from 'chai'
import { createChainClient } from '../../../../shared/chain/nodes/client.ts'
import { type NumberQuery, queryCoin, readNumbers } from '../../../../shared/chain/tokens/read-numbers.ts'
import type { Address } from '../../../../shared/domain/address.ts'
import { addressOfByte } from '../../../support/checked-charges.ts'
import { startRpcServer } from '../../../support/rpc-server.ts'

const CHAIN_ID = 8453
const [CONTRACT, ACCOUNT, REVERTING] = ['aa', 'bb', 'cc'].map(addressOfByte) as [Address, Address, Address]

describe('readNumbers, on a chain without Multicall3', () => {
  const stops: (() => void)[] = []

  afterEach(() => stops.splice(0).forEach((stop) => stop()))

  for (const [family, message] of [
    ['EVM', 'execution reverted'],
    ['TRON', 'REVERT opcode executed'],
  ] as const)
    it(`reads null from a contract that reverts on ${family}, and still reads the other numbers`, async () => {
      const queries = [query(CONTRACT), query(REVERTING), queryCoin(ACCOUNT)]
      expect(await readNumbers(await connect({ message }), queries)).to.deep.equal([5n, null, 7n])
    })

  it('reads null from an account without code', async () => {
    expect(await readNumbers(await connect({ message: 'unused' }), [query(ACCOUNT)])).to.deep.equal([null])
  })

  it('fails if the node fails, because the number is then unknown', async () => {
    const client = await connect({ message: 'lack of computing resources' })
    const error = await readNumbers(client, [query(REVERTING)]).catch((reason: unknown) => reason)
    expect(String(error)).to.include('lack of computing resources')
  })

  function query(to: Address): NumberQuery {
    return { to, data: '0x12345678' }
  }

  /** Starts a node whose contract returns 5 and whose reverting contract fails with the message. */
  async function connect({ message }: { readonly message: string }) {
    const { url, stop } = await startRpcServer((method, [first]) => {
      if (method === 'eth_chainId') return `0x${CHAIN_ID.toString(16)}`
      const to = method === 'eth_call' ? (first as { readonly to: Address }).to : first
      if (method === 'eth_getBalance') return '0x7'
      if (method === 'eth_getCode') return to === CONTRACT || to === REVERTING ? '0xfe' : '0x'
      if (to === REVERTING) throw new Error(message)
      return to === CONTRACT ? `0x${'5'.padStart(64, '0')}` : '0x'
    })
    stops.push(stop)
    return createChainClient({ chainId: CHAIN_ID, rpcUrls: [url] })
  }
})
