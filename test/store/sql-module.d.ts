// The golden schema is read as text, like the migrations; the tests' type check does not see the declaration in src.
declare module "*.sql" {
  const text: string;
  export default text;
}
