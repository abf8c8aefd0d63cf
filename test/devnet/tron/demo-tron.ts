import { createPublicClient, erc20Abi, formatUnits, type Hex, http, serializeSignature } from 'viem'
import { sign } from 'viem/accounts'

import { parseTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { payAndTell, step } from '../demo-payments.ts'
import type { DevnetDescription } from '../write-description.ts'
import { TRON_ACCOUNTS } from './accounts.ts'
import { TRON_USDT } from './addresses.ts'

const FEE_LIMIT_SUN = 100_000_000
const USDT_DECIMALS = 6

/** Creates a charge on TRON, and pays it as wallets do: the node builds the transaction, the payer signs its id. */
export async function payOnTron(devnet: DevnetDescription): Promise<void> {
  console.log('\nA charge of 7 USD on tron, paid in USDT; every payment and payout there waits for 19 blocks')
  const before = await merchantHolds(devnet)
  await payAndTell(devnet, {
    amount: 7,
    acceptedPayments: [{ token: 'USDT', network: 'tron' }],
    send: async ({ address }) => {
      step('paying', '7 USDT on tron with an ordinary TRC-20 transfer')
      await transfer(devnet, { to: address, units: 7_000_000n })
    },
  })
  const received = formatUnits((await merchantHolds(devnet)) - before, USDT_DECIMALS)
  step('received', `${received} USDT on tron by the merchant`)
}

async function transfer(
  devnet: DevnetDescription,
  { to, units }: { readonly to: string; readonly units: bigint },
): Promise<void> {
  const { httpUrl, tokens } = tronOf(devnet)
  const { tronPayer } = devnet.accounts
  if (tronPayer === undefined) throw new Error('the devnet has no payer on TRON')
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${httpUrl}/wallet/${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }
  const { transaction } = (await post('triggersmartcontract', {
    ...{ owner_address: tronPayer.address, contract_address: tokens.USDT?.address, visible: true },
    ...{ function_selector: 'transfer(address,uint256)', fee_limit: FEE_LIMIT_SUN },
    parameter: `${(parseTronAddress(to) ?? '').slice(2).padStart(64, '0')}${units.toString(16).padStart(64, '0')}`,
  })) as { transaction: { txID: string } }
  const hash: Hex = `0x${transaction.txID}`
  const signature = serializeSignature(await sign({ hash, privateKey: tronPayer.privateKey })).slice(2)
  const answer = await post('broadcasttransaction', { ...transaction, signature: [signature] })
  if (answer['result'] !== true) throw new Error(`the payment was rejected: ${JSON.stringify(answer)}`)
}

function merchantHolds(devnet: DevnetDescription): Promise<bigint> {
  const client = createPublicClient({ transport: http(tronOf(devnet).rpcUrl) })
  const args = [TRON_ACCOUNTS.tronMerchant.address] as const
  return client.readContract({ address: TRON_USDT, abi: erc20Abi, functionName: 'balanceOf', args })
}

function tronOf({ networks }: DevnetDescription) {
  if (networks.tron === undefined) throw new Error('the devnet has no TRON')
  return networks.tron.live
}
