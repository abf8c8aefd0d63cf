import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createCostLimit } from '../../../../api/client/exit/cost-limit.ts'
import type { ExitChain } from '../../../../api/client/exit/exit-chain.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { createTronSender } from '../../../../api/client/exit/tron-sender.ts'
import { formatTronAddress } from '../../../../shared/domain/chain-families/tron/address.ts'
import { addressOfByte, buildTronCharge, FACTORY_ON_TRON } from '../../../support/checked-charges.ts'

const CHAIN_ID = 728_126_428
const ID = `0000000000000001${'0'.repeat(40)}${CHAIN_ID.toString(16).padStart(8, '0')}`

describe('the sender of TRON', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const charge = parseExitCharge(buildTronCharge(), { factory: formatTronAddress(FACTORY_ON_TRON) })
  const token = { symbol: 'USDT', address: addressOfByte('cc'), decimals: 6 }
  const payment = { charge, token, amount: 1n, recipient: null, to: charge.factory, data: '0x1234' as const }

  it('does not sign a transaction whose maximum fee exceeds the remaining limit', async () => {
    const node = await startTronNode()
    try {
      const sender = createTronSender({
        family: 'tron',
        chainId: CHAIN_ID,
        rpcUrls: [node.url],
      } as unknown as ExitChain)
      const planned = await sender.quote(payment, addressOfByte('aa'))
      if ('reason' in planned) throw new Error(planned.reason)
      const costLimit = createCostLimit(2n * planned.maxCost - 1n, String)
      const calls = { onSigned: () => undefined, onSent: () => undefined }
      const order = { account, nonce: 0, payments: [planned, planned], costLimit, ...calls }
      const blocked = await sender.send(order)
      expect(node.sent).to.have.length(1)
      expect(blocked.map(({ reason }) => reason)).to.deep.equal([
        `its transaction may cost ${planned.maxCost}, but only ${planned.maxCost - 1n} of --max-cost ${2n * planned.maxCost - 1n} is left`,
      ])
    } finally {
      node.stop()
    }
  })
})

/** Starts a node on which every call succeeds and every transaction is mined immediately. */
async function startTronNode() {
  const sent: string[] = []
  const block = { blockID: ID, block_header: { raw_data: { number: 1, timestamp: Date.now() } } }
  const respond = (path: string, { transaction, value }: { transaction?: string; value?: string }) => {
    if (transaction !== undefined) sent.push(transaction)
    const answers: Readonly<Record<string, unknown>> = {
      '/wallet/getblockbynum': block,
      '/wallet/getblock': block,
      '/walletsolidity/getblock': block,
      '/wallet/getchainparameters': { chainParameter: [{ key: 'getEnergyFee', value: 100 }] },
      '/wallet/triggerconstantcontract': { result: { result: true }, energy_used: 100_000, logs: [] },
      '/wallet/broadcasthex': { result: true },
      '/wallet/gettransactioninfobyid': { id: value, blockNumber: 1, receipt: { result: 'SUCCESS' } },
    }
    return answers[path] ?? {}
  }
  const server = createServer((request, response) => {
    void text(request).then((body) =>
      response.end(JSON.stringify(respond(request.url ?? '', JSON.parse(body) as object))),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, stop }
}
