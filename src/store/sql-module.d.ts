// Migrations are imported as text: with wrangler's default rules and in the test pool, a `.sql` import is a string. So the code and the
// tools read the same SQL file.
declare module "*.sql" {
  const text: string;
  export default text;
}
