import { readFileSync } from 'node:fs'
import { type Hex, isHex } from 'viem'

import type { Address } from '../../shared/domain/address.ts'
import { tronDeployedAddress } from '../../shared/domain/chain-families/tron/contract-address.ts'
import type { ChainPlan, StartedChain } from '../devnet/networks.ts'
import { PRESENTED_TRON_ACCOUNTS, TRON_ACCOUNTS } from '../devnet/tron/accounts.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { addressOf } from './tron-fixture.ts'
import { createStranger } from './tronweb-client.ts'

/** Amount of the second token that is minted to the payer, in atomic units. */
const MINTED_UNITS = 10n ** 15n

/**
 * A local TRON with a second token, used as USDC, that reverts transfers to addresses that it refuses. Tether's
 * contract restricts only senders, but an upgrade could also restrict recipients.
 */
export const TRON_WITH_USDC: ChainPlan = { ...TRON_PLAN, start: startWithUsdc }

async function startWithUsdc(options: { directory: string; blockMs: number }): Promise<StartedChain> {
  const started = await TRON_PLAN.start?.(options)
  if (started?.httpUrl === undefined) throw new Error('the plan must start a local TRON')
  const address = await deployToken(started.httpUrl)
  return { ...started, deployed: [...started.deployed, { token: 'USDC', address, decimals: 6 }] }
}

/** Deploys the token with plain tronweb, and mints it to the payer. */
async function deployToken(httpUrl: string): Promise<Address> {
  const { tronPayer } = PRESENTED_TRON_ACCOUNTS
  const { tronWeb, call } = createStranger({ httpUrl, privateKey: tronPayer.privateKey })
  const { bytecode } = JSON.parse(
    readFileSync(new URL('../../contracts/artifacts/TestTronToken.json', import.meta.url), 'utf8'),
  ) as { bytecode: Hex }
  const making = { abi: '[]', bytecode: bytecode.slice(2), feeLimit: 10_000_000_000, name: 'TestTronToken' }
  const transaction = await tronWeb.transactionBuilder.createSmartContract(making, tronPayer.address)
  await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  const mine = () => fetch(`${httpUrl}/control/mine`, { method: 'POST', body: '{}' })
  await mine()
  const txId: unknown = `0x${transaction.txID}`
  if (!isHex(txId)) throw new Error('the id of a TRON transaction must have 32 bytes')
  const address = tronDeployedAddress({ txId, owner: addressOf(TRON_ACCOUNTS.tronPayer) })
  await call(tronWeb.address.fromHex(`41${address.slice(2)}`), 'mint(address,uint256)', [
    { type: 'address', value: tronPayer.address },
    { type: 'uint256', value: String(MINTED_UNITS) },
  ])
  await mine()
  return address
}
