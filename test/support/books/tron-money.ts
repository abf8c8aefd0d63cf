import { createPublicClient, type Hex, http } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import type { Token } from '../../../shared/domain/networks.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Devnet } from '../../devnet/devnet.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { addressOf } from '../random-terms.ts'
import { TRANSFER_EVENT } from '../transfer-event.ts'
import { FEE_LIMIT_SUN } from '../tron-fixture.ts'
import { createStranger } from '../tronweb-client.ts'
import { encodeChargeDistribution, encodeChargeRelease } from './encode-split-calls.ts'
import type { MoneyChain } from './money-chain.ts'

const UNIT_ATTO = 10n ** 12n
/** The maximum range of a log query to TRON's nodes. A local chain takes 40 minutes to mine this many blocks. */
const MAX_BLOCKS = 4_999n

/**
 * Creates a `MoneyChain` on the devnet's TRON, whose USDC must be able to refuse recipients (`TRON_WITH_USDC`).
 */
export function createTronMoney({ description }: Devnet): MoneyChain {
  const { networks, accounts } = description
  if (networks.tron === undefined || !('tronPayer' in accounts)) throw new Error('the devnet has no TRON')
  const { httpUrl, tokens } = networks.tron.live
  const payer = createStranger({ httpUrl, privateKey: accounts.tronPayer.privateKey })
  const keeper = createStranger({ httpUrl, privateKey: ACCOUNTS.keeper.privateKey })
  const client = createPublicClient({ transport: http(`${httpUrl}/jsonrpc`), cacheTime: 0 })
  const tokenOf = (token: Token) => tokens[token]?.address ?? ''
  const sent: string[] = []

  return {
    ...{ network: 'tron', tokens: ['USDT', 'USDC'], restrictable: 'USDC', decimals: 6 },
    unitAtto: UNIT_ATTO,
    payers: [addressOf(accounts.tronPayer.address)],
    strayPayer: addressOf(accounts.tronPayer.address),
    pay: async ({ token, to, amountAtto }) => {
      sent.push(await payer.pay({ token: tokenOf(token), to, units: amountAtto / UNIT_ATTO }))
    },
    distribute: async ({ charge, token, distributor }) => {
      const call = encodeChargeDistribution(charge, { token: tokenOf(token), distributor })
      sent.push(await sendCall(keeper, call))
    },
    release: async ({ charge, token, recipient }) => {
      const call = encodeChargeRelease(charge, { token: tokenOf(token), recipient })
      sent.push(await sendCall(keeper, call))
    },
    restrict: async (account, isRestricted) => {
      const args = [
        { type: 'address', value: formatTronAddress(account) },
        { type: 'bool', value: isRestricted },
      ] as const
      sent.push(await payer.call(tokenOf('USDC'), 'refuse(address,bool)', args))
    },
    untilMined: async () => {
      for (const id of sent.splice(0))
        await waitFor(async () => isMined(payer, id), { what: `${id} to be mined`, timeoutMs: 60_000 })
    },
    listTransfers: async (token) => {
      const toBlock = await client.getBlockNumber()
      const fromBlock = toBlock < MAX_BLOCKS ? 0n : toBlock - MAX_BLOCKS
      const address = addressOf(tokenOf(token))
      const logs = await client.getLogs({ address, event: TRANSFER_EVENT, fromBlock, toBlock, strict: true })
      return logs.map(({ args: { from, to, value } }) => ({
        ...{ from: addressOf(from), to: addressOf(to) },
        amountAtto: value * UNIT_ATTO,
      }))
    },
    readBalance: async (token, account) =>
      (await payer.balanceOf(tokenOf(token), formatTronAddress(account))) * UNIT_ATTO,
  }
}

type Stranger = ReturnType<typeof createStranger>

async function isMined({ tronWeb }: Stranger, id: string): Promise<boolean> {
  return Object.keys(await tronWeb.trx.getUnconfirmedTransactionInfo(id)).length > 0
}

async function sendCall({ tronWeb }: Stranger, call: { readonly to: Address; readonly data: Hex }) {
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    ...([`41${call.to.slice(2)}`, '', { feeLimit: FEE_LIMIT_SUN, input: call.data.slice(2) }] as const),
    [],
  )
  const { result, txid } = await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  if (!result) throw new Error(`${transaction.txID} was not accepted`)
  return txid
}
