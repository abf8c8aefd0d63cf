import { type Abi, type Address, type Hex, parseAbi } from 'viem'
import usdc from '../../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import { pairKey } from '../../../shared/domain/networks.ts'
import { TOKEN_BEHAVIOURS } from '../../devnet/real-networks/token-behaviours.ts'
import type { NetworkFixture } from './network-fixture.ts'

const BLACKLIST = parseAbi(['function blacklist(address account)', 'function unBlacklist(address account)'])

/** The issuer of a token, who can restrict an account. */
export type Issuer = { readonly setRestricted: (account: Address, isRestricted: boolean) => Promise<void> }

/**
 * Returns the issuer of the stage's first way to pay, which must be a USDC. Replaces a pegged USDC without restrictions
 * by a token with restrictions. Real pegged tokens are behind proxies, so their issuers can upgrade them at any time.
 */
export async function createIssuer(stage: NetworkFixture): Promise<Issuer> {
  const [{ token, pair, tokenDecimals }] = stage.ways
  const account = stage.nextPayer()
  if (TOKEN_BEHAVIOURS[pairKey(pair)]?.contract === 'TestToken') {
    const args = [tokenDecimals]
    const made = await account.deploy(usdc.abi as Abi, { bytecode: usdc.bytecode as Hex, args })
    const bytecode = (await stage.client.getCode({ address: made })) ?? '0x'
    await stage.node.setCode({ address: token, bytecode })
  }
  return {
    setRestricted: async (who, isRestricted) => {
      const functionName = isRestricted ? 'blacklist' : 'unBlacklist'
      await account.call({ address: token, abi: BLACKLIST, functionName, args: [who] })
    },
  }
}
