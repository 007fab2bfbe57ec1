// Migrations are imported as text: wrangler's default rules and the test pool both give a `.sql` file as a string, so the
// SQL stands once, in the file that the tools read too.
declare module "*.sql" {
  const text: string;
  export default text;
}
