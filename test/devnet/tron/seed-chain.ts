import { readFile } from 'node:fs/promises'
import { encodeFunctionData, type Hex, numberToHex, parseAbi, serializeSignature, slice } from 'viem'
import { sign } from 'viem/accounts'

import type { Address } from '../../../shared/domain/address.ts'
import { ACCOUNTS } from '../accounts.ts'
import { TRON_ACCOUNTS } from './accounts.ts'
import { TRON_USDT } from './addresses.ts'
import { encodeRawTransaction, getTxId, type TronContract } from './raw-transaction.ts'
import type { MinedTron } from './tron-block.ts'
import type { TronChain } from './tron-chain.ts'

/** Atomic units of USDT that each payer receives: one billion tokens, as on the devnet's other chains. */
const MINTED_UNITS = 10n ** 9n * 10n ** 6n
const FEE_LIMIT_SUN = 15_000_000_000n
const LIFE_MS = 60_000n

const TOKEN = parseAbi(['function mint(address to, uint256 amount)'])

/** Deploys our factory on a new chain, mints USDT to the payers, and returns the factory's address. */
export async function seedChain(chain: TronChain): Promise<{ readonly factory: Address }> {
  const { contractAddress } = await run(chain, {
    ...{ type: 'CreateSmartContract', owner: ACCOUNTS.deployer.address, callValueSun: 0n },
    code: await readFactoryCode(),
  })
  if (contractAddress === null) throw new Error('the transaction created no factory')
  for (const { address } of [TRON_ACCOUNTS.tronPayer, ACCOUNTS.payer, ACCOUNTS.payer2])
    await run(chain, {
      ...{ type: 'TriggerSmartContract', owner: ACCOUNTS.deployer.address, to: TRON_USDT, callValueSun: 0n },
      data: encodeFunctionData({ abi: TOKEN, functionName: 'mint', args: [address, MINTED_UNITS] }),
    })
  return { factory: contractAddress as Address }
}

/** Broadcasts a transaction of the deployer, and mines it. */
async function run(chain: TronChain, contract: TronContract): Promise<MinedTron> {
  const head = chain.head()
  const nowMs = BigInt(head.timestamp) * 1000n
  const raw = {
    contract: { ...contract, owner: contract.owner.toLowerCase() as Hex },
    refBlockBytes: slice(numberToHex(head.number, { size: 8 }), 6),
    refBlockHash: slice(head.hash, 8, 16),
    ...{ expirationMs: nowMs + LIFE_MS, timestampMs: nowMs, feeLimitSun: FEE_LIMIT_SUN },
  }
  const rawData = encodeRawTransaction(raw)
  const hash = getTxId(rawData)
  const signature = serializeSignature(await sign({ hash, privateKey: ACCOUNTS.deployer.privateKey }))
  const code = await chain.broadcast({ ...raw, rawData, hash, signature })
  await chain.mine()
  const mined = chain.find(hash)?.transaction
  if (mined?.result !== 'SUCCESS') throw new Error(`${contract.type}: ${mined?.result ?? code}`)
  return mined
}

async function readFactoryCode(): Promise<Hex> {
  const artifact = new URL('../../../contracts/artifacts/TronPaymentSplitFactory.json', import.meta.url)
  return (JSON.parse(await readFile(artifact, 'utf8')) as { bytecode: Hex }).bytecode
}
