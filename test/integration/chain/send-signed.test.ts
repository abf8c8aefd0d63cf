import { expect } from 'chai'
import { type Hex, parseTransaction } from 'viem'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { sendSigned } from '../../../shared/chain/nodes/send-signed.ts'
import { parseEvmAddress } from '../../../shared/domain/address.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'

const CHAIN_ID = 8453

/** The response of a node that tries to make us sign for another chain, with another nonce, gas limit and fees. */
const FILLED = {
  ...{ chainId: '0x1', nonce: '0x63', gas: '0x1c9c380', type: '0x2', value: '0x0', input: '0x' },
  ...{ maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800', feePayerSignature: null },
}

describe('a call that is signed and sent', () => {
  it('has our chain id, gas and fees, regardless of the values that the node fills in', async () => {
    const sent: Hex[] = []
    const node = await startRpcProxy('http://127.0.0.1:9', '/signing')
    node.rule((method, params) => {
      if (method === 'eth_chainId') return { result: '0x2105' }
      if (method === 'eth_getTransactionCount') return { result: '0x7' }
      if (method === 'eth_fillTransaction') return { result: { raw: '0x02', tx: FILLED } }
      if (method !== 'eth_sendRawTransaction') return 'error'
      sent.push(params[0] as Hex)
      return { result: `0x${'1'.repeat(64)}` }
    })
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [node.url] })
    const account = toSigner(ACCOUNTS.deployer)
    const to = parseEvmAddress(`0x${'ab'.repeat(20)}`) ?? expect.fail('not an address')
    const fees = { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n }
    await sendSigned(client, account, { to, data: '0x1234', gas: 50_000n, fees })
    await node.stop()
    expect(parseTransaction(sent[0] ?? '0x')).to.deep.include({
      ...{ type: 'eip1559', chainId: CHAIN_ID, nonce: 7, to, data: '0x1234', gas: 50_000n },
      ...fees,
    })
    expect(sent).to.have.length(1)
  })
})
