import type { Context } from 'koa'
import { chooseLanguage } from './languages.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import { type Words, wordsOf } from './words.ts'

/** Returns the language texts and the script path for a request's page. */
export function spokenTo(ctx: Context): { readonly words: Words; readonly script: string | null } {
  const lang = new URLSearchParams(ctx.querystring).get('lang')
  const words = wordsOf(chooseLanguage({ lang, accept: ctx.get('accept-language') }))
  return { words, script: PAGE_SCRIPT && PAGE_SCRIPT.path }
}
