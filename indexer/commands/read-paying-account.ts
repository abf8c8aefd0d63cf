import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readPrivateKey } from '../../shared/runtime/command-config.ts'

/** Default environment variable with the private key of the account that pays for transactions. */
export const DEFAULT_KEY_SETTING = 'DEPLOYER_PRIVATE_KEY'

/**
 * Reads the account that pays for transactions.
 *
 * @param setting - name of the environment variable with the account's private key; by default `DEPLOYER_PRIVATE_KEY`
 */
export function readPayingAccount(setting: string | undefined): PrivateKeyAccount {
  return privateKeyToAccount(readPrivateKey(setting ?? DEFAULT_KEY_SETTING))
}
